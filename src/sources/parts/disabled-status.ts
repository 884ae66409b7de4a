import { type SourceStatus, toStatus } from "../source.ts";

/** `by` says where it is switched off, if not in its own entry. */
export function disabledStatus(by: string | undefined): SourceStatus {
  if (by === undefined) return toStatus("disabled", "is switched off by its entry", "Set `enabled: true` to start it.");
  const next = `Remove it from disabledServers (${by}) to start it.`;
  return toStatus("disabled", `is switched off by disabledServers (${by})`, next);
}
