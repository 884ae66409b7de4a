import type { Config } from "../../config/config.ts";
import { createHostGate } from "../../config/host-gate.ts";
import { isManaged } from "../../config/managed.ts";
import { moduleProgram } from "../../config/trust/host-programs.ts";
import { sourced } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { factsOf } from "../../core/tool/source-kinds.ts";
import { isBuiltin } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { BUILTIN_SETS } from "../../sources/builtin/definitions.ts";
import { isServer } from "../../sources/source.ts";
import { isNamedElsewhere } from "../report/named-elsewhere.ts";
import { alikeReports, describeReport, nextStep, type SourceReport } from "../report/source-report.ts";
import { namesOf } from "../report/waiting-servers.ts";
import { checkGroups } from "./check-groups.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkLock } from "./check-lock.ts";
import { checkShadows, checkUnusedLists } from "./check-names.ts";
import { checkRules } from "./check-rules.ts";
import { checkHeld, checkSandbox } from "./check-sandbox.ts";
import { findDeadEntries } from "./dead-entries.ts";
import { type DoctorFinding, toFinding } from "./finding.ts";

const RANK = { error: 0, warning: 1, info: 2 } as const satisfies Record<DoctorFinding["level"], number>;

/** Everything that is wrong or odd about a configuration whose sources have been listed; the worst first. */
export async function diagnose(
  config: Config,
  toolset: Toolset,
  reports: readonly SourceReport[],
): Promise<readonly DoctorFinding[]> {
  const broken = reports.filter(({ state }) => Object.hasOwn(SOURCE_CODES, state)).map(({ name }) => name);
  const findings = [
    ...checkSources(reports),
    ...toolset.notices
      .filter(({ code, text }) => code !== "filter.pending" || !broken.some((name) => text.includes(`"${name}"`)))
      .map((notice) => toFinding(notice)),
    ...(await checkUses(config)),
    ...(await checkSandbox(config, toolset)),
    ...(await checkHeld(config)),
    ...checkFilter(toolset),
    ...checkUnusedLists(config, toolset),
    ...checkGroups(config, toolset),
    ...checkShadows(
      config,
      toolset,
      BUILTIN_SETS.map(({ name }) => name),
    ),
    ...checkDefinitions(toolset),
    ...checkLock(config, toolset),
    ...(await checkRules(config)),
    ...checkHooks(config),
    ...findDeadEntries(config, toolset),
  ];
  const isOfLeftOut = namesOf(reports.filter((report) => isServer(report) && report.isLeftOut === true));
  const keyed = findings
    .filter(({ code, names }) => code !== "filter.unknown-name" || !names.every(isOfLeftOut))
    .map((finding) => asForMany(finding, config))
    .map((finding) => [JSON.stringify([finding.code, finding.text, finding.origin]), finding] as const);
  return [...new Map(keyed).values()].sort((a, b) => RANK[a.level] - RANK[b.level]);
}

/** In a file for many projects or machines, naming a tool that does not exist here is no mistake. */
function asForMany(finding: DoctorFinding, config: Config): DoctorFinding {
  if (!isNamedElsewhere(finding, config)) return finding;
  const others = isManaged(config, finding.origin)
    ? "the policy may name tools of other machines"
    : "it may name tools of other projects";
  return { ...finding, level: "info", fix: `nothing here: ${others}` };
}

const SOURCE_CODES = {
  connected: "server.partial",
  failed: "server.failed",
  "needs-auth": "server.needs-auth",
  stale: "server.stale",
  starting: "server.starting",
} as const;

/** Only programs; modules are checked one by one, and sources that were never started have their own notice. */
function checkSources(reports: readonly SourceReport[]): readonly DoctorFinding[] {
  const odd = reports.filter(
    (report) =>
      !(report.state === "connected" && report.reason === null) &&
      factsOf(report.kind).program !== undefined &&
      (report.forbiddenBy !== undefined || report.isLeftOut !== true),
  );
  return alikeReports(odd).flatMap(({ first, names, origin }): readonly DoctorFinding[] => {
    const { state, forbiddenBy } = first;
    const text = describeReport({ ...first, next: null, heldBack: [] }, names);
    if (forbiddenBy !== undefined)
      return [{ level: "info", code: forbiddenBy, text, names, origin, fix: nextStep(first) }];
    if (state === "disabled") return [];
    const level = state === "failed" || state === "needs-auth" ? "error" : "warning";
    return [{ level, code: SOURCE_CODES[state], text, names, origin, fix: nextStep(first) }];
  });
}

/** `use:` entries are loaded here, so that they do not fail late (N4). */
async function checkUses(config: Config): Promise<readonly DoctorFinding[]> {
  const { tools, trust } = config;
  if (tools.length === 0) return [];
  const { checkModules } = await import("../../sources/module/module-source.ts");
  // `~` has no meaning in modules.
  const gate = createHostGate(config, { workspace: trust.workspace, home: trust.workspace });
  const notices = await checkModules({ tools, refuses: (tool) => gate.refuses(moduleProgram(tool)) });
  return notices.map((notice) => toFinding(notice));
}

/** A session continues with a filter that leaves no tools; a person should know. */
function checkFilter({ catalog, scene }: Toolset): readonly DoctorFinding[] {
  try {
    buildToolset(catalog, { ...scene, filter: { ...scene.filter, allowNoTools: sourced(false) } });
    return [];
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    const { code, message: text, names } = error;
    return [{ level: "error", code, text, names, origin: error.origin ?? { kind: "default" }, fix: null }];
  }
}

const MAX_TOOLS = 50;

/** Duplicates, look-alikes, refused definitions and pins that no longer match. */
function checkDefinitions({ placements }: Toolset): readonly DoctorFinding[] {
  return placements
    .flatMap(({ entry, trace }) =>
      trace
        .filter(({ gate }) => gate === "trust" || (gate === "duplicate" && !isBuiltin(entry.tool)))
        .map(({ reason }): DoctorFinding => {
          const text = `${entry.identity} is hidden: ${reason.text}`;
          return {
            level: "warning",
            code: reason.code,
            text,
            names: [entry.identity],
            origin: reason.origin,
            fix: reason.fix,
          };
        }),
    )
    .slice(0, MAX_TOOLS);
}
