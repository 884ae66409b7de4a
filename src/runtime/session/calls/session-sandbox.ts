import type { Config } from "../../../config/config.ts";
import { denyRules } from "../../../config/deny-rules.ts";
import { findHostPrograms } from "../../../config/trust/host-programs.ts";
import type { Eventual } from "../../../core/call/eventual.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { compileRules, loadPatterns } from "../../../core/rules/compile-rules.ts";
import { type DeniedFiles, toDeniedFiles } from "../../../core/rules/denied-files.ts";
import { type Confinement, confine } from "../../../core/rules/paths.ts";
import type { Launch } from "../../../sources/host.ts";
import type { HostProgram } from "../../../system/host-programs/host-program.ts";
import type { Sandbox, SandboxOptions } from "../../../system/sandbox/create-sandbox.ts";
import { findFolders } from "../../permissions/added-folders.ts";
import { toRuleWorld } from "./call-rules.ts";
import type { DeniedCovers } from "./denied-covers.ts";

/** The sandbox of a session's commands, as far as configuration wants one and the machine has one. */
export interface SessionSandbox {
  readonly active: boolean;
  readonly notices: readonly Notice[];
  readonly wrapLaunch: (launch: Launch) => Eventual<Launch>;
  /** What the sandbox takes off the rules about a command that starts now; null where there is none. */
  readonly confinement: () => Eventual<Confinement | null>;
  /** Looks for a sandbox if the configuration wants one; resolves to whether that changed anything. */
  apply(config: Config): Promise<boolean>;
}

/** Null where there is no workspace, and so nothing that could be run. */
export type SandboxPlace = Pick<
  SandboxOptions,
  "workspace" | "added" | "home" | "hidden" | "path" | "looksLate" | "detect"
> | null;

export function createSessionSandbox(
  place: SandboxPlace,
  /** The first command showed that something cannot be protected. */
  onGap: () => void = () => {},
): SessionSandbox {
  let wanted: Config["sandbox"]["shell"] | null = null;
  let found: Sandbox | null = null;
  let foundFor = "";
  let covers: DeniedCovers | null = null;
  let coversFor = "";
  let programs: readonly HostProgram[] = [];
  let whole: Confinement = NOT_COVERING;
  const current = (): Sandbox | null => (wanted === null || wanted.value === "off" ? null : found);

  return {
    get active() {
      return current()?.active === true;
    },
    get notices(): readonly Notice[] {
      const sandbox = current();
      // Where none was asked for by name, the reason of each hidden tool and `doctor` say enough.
      if (sandbox?.active)
        return sandbox.gaps.map((text) => ({
          level: "info",
          code: "sandbox.gap",
          text,
          names: [],
          origin: wanted?.origin ?? { kind: "default" },
        }));
      if (sandbox === null || wanted?.value !== "on") return [];
      const text = `commands have no sandbox: ${sandbox.reason}. To get one, ${sandbox.fix}`;
      return [{ level: "warning", code: "sandbox.unavailable", text, names: [], origin: wanted.origin }];
    },
    async wrapLaunch(launch) {
      const sandbox = current();
      if (sandbox?.active) {
        const known = sandbox.gaps.length;
        const wrapped = sandbox.wrapLaunch(launch, await covers?.find(launch.cwd));
        if (sandbox.gaps.length > known) onGap();
        return wrapped;
      }
      // Where a sandbox was asked for by name, no command may run without one.
      if (wanted?.value !== "on" || sandbox === null) return launch;
      const text = `Nothing is run, because sandbox.shell is "on" and there is no sandbox: ${sandbox.reason}.`;
      throw new ToolcribError("sandbox.required", text, { origin: wanted.origin });
    },
    confinement() {
      if (current()?.active !== true) return null;
      if (covers === null) return NOT_COVERING;
      return covers.missed().then((missed) => (missed === null ? whole : { ...NOT_COVERING, missed }));
    },
    async apply(config) {
      const { shell, backend } = config.sandbox;
      const before = JSON.stringify([this.active, this.notices]);
      const added = findFolders(config).found;
      const key = JSON.stringify([added, backend.value]);
      wanted = shell;
      programs = place === null ? [] : findHostPrograms(config, place);
      if (shell.value !== "off" && place !== null && (found === null || key !== foundFor)) {
        const { createSandbox } = await import("../../../system/sandbox/create-sandbox.ts");
        const all = [...(place.added ?? []), ...added];
        found = await createSandbox({ ...place, added: all, backend: backend.value, programs: () => programs });
        foundFor = key;
      }
      if (place !== null && found?.active === true) {
        const world = toRuleWorld({ ...place, added: [...(place.added ?? []), ...added] });
        const { hideDenied } = config.sandbox;
        const rules = JSON.stringify([key, hideDenied.value, denyRules(config)]);
        if (rules !== coversFor) {
          const denied = hideDenied.value && found.covering.length > 0 ? await toDenied(config, world) : null;
          const { createDeniedCovers } = await import("./denied-covers.ts");
          covers = denied === null ? null : createDeniedCovers(denied, found.covering);
          whole = confine(world, found.shown);
          coversFor = rules;
        }
      }
      return JSON.stringify([this.active, this.notices]) !== before;
    },
  };
}

/** Writes stay inside; what must not be read is still up to rules. */
const NOT_COVERING: Confinement = { covers: () => false };

async function toDenied(config: Config, world: ReturnType<typeof toRuleWorld>): Promise<DeniedFiles | null> {
  const lists = { deny: denyRules(config), ask: [], allow: [] };
  await loadPatterns(lists);
  try {
    const { deny } = compileRules(lists, { ...world, cwd: world.workspace });
    return toDeniedFiles(deny);
  } catch (error) {
    // The decision about the call says what is wrong with the rule.
    if (isToolcribError(error)) return null;
    throw error;
  }
}
