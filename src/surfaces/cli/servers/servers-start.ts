import type { Config, ServerConfig } from "../../../config/config.ts";
import { serverNamed, serversOf } from "../../../config/servers-of.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { SourceReport } from "../../../runtime/report/source-report.ts";
import type { CommandInput } from "../command-line/command.ts";
import { adviseName } from "../terminal/name-list.ts";
import { withSession } from "./live-session.ts";
import { reportOnce } from "./source-reports.ts";

/** Starts everything, tells how that went, and ends it again. */
export function startAll(input: CommandInput, config: Config): Promise<readonly SourceReport[]> {
  return withSession(input, config, async ({ session }) => reportOnce(session));
}

/** Starts that one and no other. Throws `server.unknown` when there is none of that name. */
export async function startOne(input: CommandInput, config: Config, name: string): Promise<SourceReport> {
  const server = findServer(config, name);
  const only = { ...config, servers: new Map(server === undefined ? [] : [[name, server]]), agent: null };
  const reports = await startAll(input, only);
  const found = reports.find((report) => report.kind !== "builtin" && report.name === name);
  if (found !== undefined) return found;
  throw unknownServer(config, name);
}

/** Of the configuration, or of the selected agent. */
export function findServer(config: Config, name: string): ServerConfig | undefined {
  return serverNamed(config, name);
}

export function unknownServer(config: Config, name: string): ToolcribError {
  const known = [...serversOf(config).keys()];
  const { text, names } = adviseName(name, known, 'none is configured; "toolcrib add" writes one down');
  return new ToolcribError("server.unknown", `there is no server ${JSON.stringify(name)}; ${text}`, { names });
}
