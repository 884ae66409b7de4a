import type { RuntimeState } from "../state/live.ts";
import { type Json, recordOf, recordsOf } from "../wire/wire-values.ts";
import { carrierFor } from "./inference.ts";

/** Never asked over the network: the client that carries requests knows what it stands for. */
const CARRIED = "https://api.githubcopilot.com";

/** Where models are asked when no provider is named; null: nowhere. */
export function addressOf({ around, inference }: RuntimeState): string | null {
  const given = around.env.COPILOT_API_URL;
  if (given !== undefined && given !== "") return given.replace(/\/+$/, "");
  return inference === null ? null : CARRIED;
}

/** The models that the configured address offers; none without one. */
export async function listModels(
  server: RuntimeState,
  token?: string,
  signal: AbortSignal | null = null,
): Promise<readonly Json[]> {
  const base = addressOf(server);
  if (base === null) return [];
  const key = token ?? server.gitHubToken;
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const ask = carrierFor(server, { interactionType: "models" }) ?? fetch;
  const response = await ask(`${base}/models`, { headers, signal });
  if (!response.ok) throw new Error(`the list of models cannot be read: status ${response.status}`);
  return recordsOf(recordOf(await response.json()).data);
}
