import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { toReportRow } from "../../runtime/report/source-rows.ts";
import { toNoticeRow } from "../../runtime/report/toolset-rows.ts";
import type { SourceReport } from "../../runtime/session/source-report.ts";
import { parseWord, usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toConfigInput } from "./config-input.ts";
import { toJson } from "./escape-text.ts";
import { withSession } from "./live-session.ts";
import { readOverrides } from "./overrides.ts";
import { describeLogin, formatLogs, formatReports } from "./servers-text.ts";
import { reportOnce } from "./source-reports.ts";

const ACTIONS = ["restart", "login", "logs"] as const;

/** `toolcrib servers [restart|login|logs NAME]`: state of every source, with reason and next step. */
export async function runServers(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [word, name] = args.operands;
  const config = await loadConfig(toConfigInput(input, readOverrides(args)));
  if (word === undefined) {
    const reports = await loadReports(input, config);
    if (args.has("json")) {
      const servers = reports.map(toReportRow);
      io.out(toJson({ servers, notices: config.notices.map(toNoticeRow) }, io.isTTY));
    } else {
      io.out(formatReports(reports, io));
      log.notices(config.notices);
    }
    return reports.every(isFine) ? 0 : 1;
  }
  const action = parseWord("what to do with a server", word, ACTIONS);
  if (name === undefined) throw usage(`toolcrib servers ${action} needs the NAME of a server`);
  const report = await startOne(input, config, name);
  const login = action === "login" ? describeLogin(report, config.servers.get(name)) : null;
  if (args.has("json")) {
    io.out(toJson({ server: toReportRow(report), ...(login === null ? {} : { steps: login }) }, io.isTTY));
  } else if (login !== null) io.out(`${login.join("\n")}\n`);
  else if (action === "logs") io.out(formatLogs(report));
  else io.out(formatReports([report], io));
  return action === "logs" || isFine(report) ? 0 : 1;
}

function loadReports(input: CommandInput, config: Config): Promise<readonly SourceReport[]> {
  return withSession(input, config, async ({ session }) => reportOnce(session));
}

/** Starts that one and no other. */
async function startOne(input: CommandInput, config: Config, name: string): Promise<SourceReport> {
  const agent = config.agent === null ? undefined : config.agents.get(config.agent.value);
  const server = config.servers.get(name) ?? agent?.servers.get(name);
  const only = { ...config, servers: new Map(server === undefined ? [] : [[name, server]]), agent: null };
  const reports = await loadReports(input, only);
  const found = reports.find((report) => report.kind !== "builtin" && report.name === name);
  if (found !== undefined) return found;
  const known = [...config.servers.keys(), ...(agent?.servers.keys() ?? [])];
  const [nearest] = nearestNames(name, known, 1);
  const advice =
    nearest !== undefined
      ? `did you mean "${nearest}"?`
      : known.length === 0
        ? 'none is configured; "toolcrib add" writes one down'
        : `there are ${known.slice(0, 10).join(", ")}`;
  throw new ToolcribError("server.unknown", `there is no server ${JSON.stringify(name)}; ${advice}`, {
    names: nearest === undefined ? [] : [nearest],
  });
}

function isFine({ state }: SourceReport): boolean {
  return state === "connected" || state === "disabled";
}
