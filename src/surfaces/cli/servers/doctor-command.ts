import { checkFiles } from "../../../config/check-files.ts";
import type { Config } from "../../../config/config.ts";
import type { ConfigInput } from "../../../config/load-config.ts";
import { formatOrigin, placeBehind } from "../../../core/codes/origin.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { diagnose } from "../../../runtime/doctor/diagnose.ts";
import type { DoctorFinding } from "../../../runtime/doctor/finding.ts";
import type { SourceReport } from "../../../runtime/report/source-report.ts";
import { toReportRow } from "../../../runtime/report/source-rows.ts";
import { isServer } from "../../../sources/source.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { noticeForeignServers } from "../configuration/foreign-servers.ts";
import { hasOwnFile, loadAsked } from "../configuration/load-asked.ts";
import { checkGuards } from "../guard/check-guards.ts";
import type { Io } from "../terminal/io.ts";
import { countText } from "../terminal/name-list.ts";
import { createStyle } from "../terminal/style.ts";
import { wrapText } from "../terminal/text-width.ts";
import { withSession } from "./live-session.ts";
import { reportOnce } from "./source-reports.ts";

interface Examined {
  readonly findings: readonly DoctorFinding[];
  readonly reports: readonly SourceReport[];
  /** Null while the configuration cannot be read. */
  readonly config: Config | null;
  readonly tools: number;
  /** Whether commands run in one. */
  readonly sandbox: boolean;
}

/** `toolcrib doctor`: checks configuration, trust, servers, names and rules, and says what to fix. */
export async function runDoctor(input: CommandInput): Promise<number> {
  const examined = await examine(input);
  const { findings, reports, config, tools, sandbox } = examined;
  const isFine = findings.every(({ level }) => level === "info");
  const document = {
    ok: isFine,
    findings: findings.map((finding) => ({ ...finding, origin: formatOrigin(finding.origin) })),
    files: config?.files.map(({ layer, file }) => ({ layer, file })) ?? [],
    trust: config?.trust.state ?? null,
    servers: reports.map(toReportRow),
    tools,
    sandbox: { active: sandbox },
  };
  printAnswer(input, document, () => formatFindings(findings, input.io) + formatSum(examined));
  return isFine ? 0 : 1;
}

/** Each step needs the one before it: what cannot be read is not loaded, what cannot be loaded is not started. */
async function examine(input: CommandInput): Promise<Examined> {
  const [examined, guards] = await Promise.all([examineSetup(input), checkGuards(input)]);
  return { ...examined, findings: [...examined.findings, ...guards] };
}

async function examineSetup(input: CommandInput): Promise<Examined> {
  const configInput = toConfigInput(input, readOverrides(input.args));
  const problems = await checkFiles(configInput);
  const nothing = { reports: [], config: null, tools: 0, sandbox: false };
  if (problems.length > 0)
    return { ...nothing, findings: problems.map((problem) => ({ ...problem, level: "error", fix: null })) };
  try {
    const asked = await loadAsked(input, readOverrides(input.args), configInput);
    const config = hasOwnFile(asked, configInput) ? await withForeign(asked, configInput) : asked;
    return await withSession(input, config, async ({ session }) => {
      const reports = reportOnce(session);
      const { toolset } = session;
      const sandbox = toolset.scene.sandbox.active.value;
      const findings = await diagnose(config, toolset, reports);
      return { findings, reports, config, tools: toolset.placements.length, sandbox };
    });
  } catch (error) {
    if (!isToolcribError(error) || error.code === "usage.invalid") throw error;
    const { code, message: text, names, origin = null } = error;
    return {
      ...nothing,
      findings: [{ level: "error", code, text, names, origin: origin ?? { kind: "default" }, fix: null }],
    };
  }
}

/** Beside a configuration of ours, servers elsewhere may well be meant to stay there: that is a hint and no fault. */
async function withForeign(config: Config, given: ConfigInput): Promise<Config> {
  const advice = '"toolcrib init --dry-run" shows them as entries for toolcrib.yaml';
  const notices = await noticeForeignServers(config, given, advice);
  return {
    ...config,
    notices: [...config.notices, ...notices.map((notice) => ({ ...notice, level: "info" as const }))],
  };
}

const STANDING = { error: "hidden", warning: "deferred", info: "visible" } as const;
const INDENT = 9;

function formatFindings(findings: readonly DoctorFinding[], io: Io): string {
  const width = Math.max(40, io.columns ?? 80) - INDENT;
  const style = createStyle(io);
  const lines = findings.flatMap(({ level, text, origin, fix }) => {
    const said = wrapText(escapeText(text + placeBehind(`${text} ${fix}`, origin)), width);
    const advice = fix === null ? [] : wrapText(escapeText(`-> ${fix.replace(/\.$/, "")}`), width);
    return [...said, ...advice].map((line, at) =>
      at === 0 ? `${style.standing(STANDING[level], level.padEnd(INDENT))}${line}` : `${" ".repeat(INDENT)}${line}`,
    );
  });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}

function formatSum({ findings, reports, config, tools, sandbox }: Examined): string {
  const count = (wanted: DoctorFinding["level"]) => findings.filter(({ level }) => level === wanted).length;
  const parts = (["error", "warning", "info"] as const)
    .filter((level) => count(level) > 0)
    .map((level) => `${count(level)} ${level}${count(level) === 1 || level === "info" ? "" : "s"}`);
  if (config === null) return `${parts.join(", ")}; nothing was started, because the configuration cannot be used\n`;
  const servers = reports.filter(isServer);
  const connected = servers.filter(({ state }) => state === "connected").length;
  const checked = `${countText(config.files.length, "file")}, ${connected} of ${servers.length} servers, ${tools} tools, ${sandbox ? "sandbox with bubblewrap" : "no sandbox"}`;
  const isFine = findings.every(({ level }) => level === "info");
  return `${[...(isFine ? ["nothing is wrong"] : []), ...parts].join(", ")}; checked ${checked}\n`;
}
