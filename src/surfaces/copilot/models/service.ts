import type { RuntimeState } from "../state/runtime-state.ts";
import { dropUndefined, type Json, numberOf, recordOf, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";
import { carrierFor } from "./inference.ts";

/** The configured service; null where there is none. */
function configured({ around }: RuntimeState): string | null {
  return around.env.COPILOT_API_URL?.replace(/\/+$/, "") || null;
}

/** Never asked over the network: the client that carries requests knows what it means. */
const CARRIED = "https://api.githubcopilot.com";

/** Where models are asked when no provider is named; null: nowhere. */
export function addressOf(server: RuntimeState): string | null {
  return configured(server) ?? (server.inference === null ? null : CARRIED);
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

/** Milliseconds that a list of models may take before a run begins without it. */
const PATIENCE = 5_000;

/** How each model of the configured address is asked; looked up once, and nothing where the list cannot be read. */
export function loadEndpoints(server: RuntimeState, token: string | undefined): NonNullable<RuntimeState["endpoints"]> {
  server.endpoints ??= listModels(server, token, AbortSignal.timeout(PATIENCE))
    .catch(() => [])
    .then((models) => new Map(models.map(({ id, supported_endpoints: all }) => [String(id), textsOf(all)])));
  return server.endpoints;
}

/** What the configured address answers about a token. */
async function askUser(server: RuntimeState, token: string | null | undefined): Promise<Response | null> {
  const base = configured(server);
  if (token === null || token === undefined || base === null) return null;
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${base}/copilot_internal/user`, { headers }).catch(() => null);
}

async function readUser(server: RuntimeState, token: string | null): Promise<Json | null> {
  const response = await askUser(server, token);
  return response?.ok === true ? recordOf(await response.json()) : null;
}

/** A token that a session brings is shown to the service once, where there is one. */
export async function checkToken(server: RuntimeState, token: string | undefined): Promise<void> {
  const response = await askUser(server, token);
  if (response?.status === 401) throw new Error("401 Unauthorized: the GitHub token was refused");
}

/** How much of an account is used, by kind. */
export async function readQuota(server: RuntimeState, token: string | null): Promise<Json> {
  const snapshots = Object.entries(recordOf((await readUser(server, token))?.quota_snapshots));
  return { quotaSnapshots: Object.fromEntries(snapshots.map(([kind, given]) => [kind, toQuota(recordOf(given))])) };
}

function toQuota({ entitlement, percent_remaining, overage_count, overage_permitted, timestamp_utc }: Json): Json {
  const all = numberOf(entitlement) ?? 0;
  const left = numberOf(percent_remaining) ?? 0;
  return {
    isUnlimitedEntitlement: all < 0,
    entitlementRequests: all,
    usedRequests: Math.round(all * (1 - left / 100)),
    remainingPercentage: left,
    overage: numberOf(overage_count) ?? 0,
    usageAllowedWithExhaustedQuota: overage_permitted === true,
    overageAllowedWithExhaustedQuota: overage_permitted === true,
    ...(typeof timestamp_utc === "string" ? { resetDate: timestamp_utc } : {}),
  };
}

/** Who a token is, as the configured address says; nobody without one. */
export async function readAccount(server: RuntimeState, token: string | null): Promise<Json> {
  const user = await readUser(server, token);
  if (user === null) return { isAuthenticated: false };
  return dropUndefined({
    ...{ isAuthenticated: true, authType: "token", host: "https://github.com" },
    ...{ login: textOf(user.login), copilotPlan: textOf(user.copilot_plan) },
  }) as Json;
}
