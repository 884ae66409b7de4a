import type { RuntimeState } from "./live.ts";
import { type Json, recordOf, recordsOf } from "./wire-values.ts";

/** The models that the configured address offers; none without one. */
export async function listModels(server: RuntimeState, token?: string): Promise<readonly Json[]> {
  const base = server.around.env.COPILOT_API_URL;
  if (base === undefined || base === "") return [];
  const key = token ?? server.gitHubToken;
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${base.replace(/\/+$/, "")}/models`, { headers });
  if (!response.ok) throw new Error(`the list of models cannot be read: status ${response.status}`);
  return recordsOf(recordOf(await response.json()).data);
}
