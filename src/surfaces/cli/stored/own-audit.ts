import { resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { SessionAudit } from "../../../runtime/audit/session-audit.ts";
import type { CommandInput } from "../command-line/command.ts";
import { settingPlaces } from "../running/work-place.ts";

/** The log of the calls that a command makes itself; undefined where it is told to keep none. */
export async function openOwnAudit(
  input: CommandInput,
  config: Config,
  label: string,
): Promise<SessionAudit | undefined> {
  const { io, args } = input;
  const { policy } = config;
  refuseWithoutAudit(input, policy);
  if (args.has("no-audit")) return undefined;
  const [{ openSessionAudit }, { findAuditPath }, { openOwnBodies }] = await Promise.all([
    import("../../../runtime/audit/session-audit.ts"),
    import("../../../runtime/audit/audit-path.ts"),
    import("../../../runtime/audit/kept-bodies.ts"),
  ]);
  const place = { cwd: io.cwd, ...settingPlaces(io) };
  const file = args.value("audit");
  const path = async (): Promise<string> => (file === null ? findAuditPath(place) : resolve(io.cwd, file));
  const bodies = await openOwnBodies(config, place, path);
  return openSessionAudit({ policy, label, path, ...bodies, ...toldOf(input) });
}

/** Managed policy may require the log. */
export function refuseWithoutAudit({ args }: CommandInput, { audit: { value, origin } }: Config["policy"]): void {
  if (value !== "required" || !args.has("no-audit")) return;
  const text = `managed policy requires the log of calls (${formatOrigin(origin)}); leave out --no-audit`;
  throw new ToolcribError("up.refused", text);
}

/** Says on the terminal when rows cannot be written, and when they are again. */
export function toldOf({ log }: CommandInput) {
  const warn = (text: string): void =>
    log.notices([{ level: "warning", code: "audit.not-written", text, names: [], origin: { kind: "default" } }]);
  return {
    onError: (text: string, error: unknown) =>
      warn(`${text}: ${error instanceof Error ? error.message : String(error)}`),
    onRecovered: warn,
  };
}
