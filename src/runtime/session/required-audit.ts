import type { Config } from "../../config/config.ts";
import type { Logger } from "../../system/logger.ts";
import type { SessionAudit } from "../audit/session-audit.ts";

/** The log of a program's calls, where managed policy requires one; a program that is asked for none loads nothing. */
export async function openRequiredAudit(
  config: Config,
  place: { readonly cwd: string; readonly home: string; readonly env: Readonly<Record<string, string | undefined>> },
  logger: Logger | undefined,
): Promise<SessionAudit | undefined> {
  const { policy } = config;
  if (policy.audit.value !== "required") return undefined;
  const [{ openSessionAudit }, { findAuditPath }, { openOwnBodies }] = await Promise.all([
    import("../audit/session-audit.ts"),
    import("../audit/audit-path.ts"),
    import("../audit/kept-bodies.ts"),
  ]);
  const path = () => findAuditPath(place);
  return openSessionAudit({
    ...{ policy, label: "library", path, ...(await openOwnBodies(config, place, path)) },
    onError: (text, error) => logger?.error(text, error),
    onRecovered: (text) => logger?.debug(text),
  });
}
