import type { Config } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { referencesIn } from "../../../core/shape/expand-variables.ts";
import { nodeAt, toPlain } from "../../../core/shape/node.ts";
import type { SourceReport } from "../../../runtime/report/source-report.ts";
import { toReportRow } from "../../../runtime/report/source-rows.ts";
import { toNoticeRow } from "../../../runtime/report/toolset-rows.ts";
import { isServer } from "../../../sources/source.ts";
import { escapeText, writeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { describeUnused, findUnused, type UnusedServers } from "../configuration/foreign-servers.ts";
import { hasOwnFile, loadAsked } from "../configuration/load-asked.ts";
import { runLogin, runLogout } from "./servers-login.ts";
import { createRunningServers } from "./servers-running.ts";
import { startAll, startOne } from "./servers-start.ts";
import { formatLogs, formatReports } from "./servers-text.ts";

const ACTIONS = ["restart", "login", "logout", "logs"] as const;

/** `toolcrib servers [restart|login|logout|logs] [NAME]`: state of every source or one, with reason and next step. */
export async function runServers(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [word, name] = args.operands;
  const config = await loadAsked(input);
  const isName = word !== undefined && name === undefined && !isAction(word) && config.servers.has(word);
  if (word === undefined || isName) {
    const all = await startAll(input, config);
    const reports = isName ? all.filter((report) => isServer(report) && report.name === word) : all;
    const unused = isName || args.has("config") ? [] : await unusedBeside(input, config);
    const document = {
      servers: reports.map(toReportRow),
      notUsed: unused.flatMap(({ side, servers }) =>
        servers.map(({ name: server, origin }) => ({ name: server, from: formatOrigin(origin), side })),
      ),
      notices: config.notices.map(toNoticeRow),
    };
    const remarks = describeUnused(unused).map((text) => `\n${escapeText(text)}\n`);
    printAnswer(input, document, () => [formatReports(reports, io), ...remarks].join(""));
    if (!args.has("json")) log.notices(config.notices);
    return reports.every(isFine) ? 0 : 1;
  }
  const action = parseWord("the action", word, ACTIONS);
  if (name === undefined) throw usage(`toolcrib servers ${action} needs the NAME of a server`);
  if (action === "login") return runLogin(input, config, name);
  if (action === "logout") return runLogout(input, config, name);
  return tell(input, config, name, action);
}

/** Without a configuration of ours, a notice says it. */
async function unusedBeside(input: CommandInput, config: Config): Promise<readonly UnusedServers[]> {
  const given = toConfigInput(input);
  return hasOwnFile(config, given) ? findUnused(config, given) : [];
}

const isAction = (word: string): boolean => ACTIONS.some((action) => action === word);

/** In the Toolcrib that runs for this workspace; where none does, in a start of its own that ends with the command. */
async function tell(input: CommandInput, config: Config, name: string, action: "restart" | "logs"): Promise<number> {
  const { io, args } = input;
  const servers = input.running === undefined ? null : createRunningServers(input, input.running);
  let taken: readonly string[] = [];
  const take = async (): Promise<void> => {
    const given = await io.variables?.(variablesOf(config, name));
    taken = (await input.running?.take(given ?? {})) ?? [];
  };
  const live = action === "restart" ? await servers?.restart(name, take) : servers?.report(name);
  const report = live ?? (await startOne(input, config, name));
  const up = live === null || live === undefined ? null : (input.running ?? null);
  const whose =
    up === null
      ? "No running Toolcrib has this server here, so it was started for this answer and ended again."
      : `Of the Toolcrib that runs here (process ${up.pid}${up.origin === null ? "" : `, ${up.origin}`}).`;
  const from = taken.length === 0 ? [] : [`It has ${taken.join(" and ")} of this shell from now on, until it ends.`];
  if (!args.has("json")) io.err(writeLines([whose, ...from]));
  const running = up === null ? null : { pid: up.pid, origin: up.origin };
  printAnswer(input, { server: toReportRow(report), running, taken }, () =>
    action === "logs" ? formatLogs(report) : formatReports([report], io),
  );
  return action === "logs" || isFine(report) ? 0 : 1;
}

/** The variables that a server's entry refers to, as far as it counts: what waits for trust asks for none. */
function variablesOf({ written }: Config, name: string): readonly string[] {
  const entries = ["mcpServers", "openapi"].flatMap((key) => nodeAt(written, key, name) ?? []);
  return [...new Set(entries.flatMap((entry) => referencesIn(JSON.stringify(toPlain(entry)))))];
}

function isFine({ state }: SourceReport): boolean {
  return state === "connected" || state === "disabled";
}
