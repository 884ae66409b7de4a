import type { RuntimeState } from "../state/live.ts";
import { type Json, numberOf, recordOf, stated, textOf } from "../wire/wire-values.ts";

/** What the configured address knows of a token; null for nothing. */
async function readUser(server: RuntimeState, token: string | null): Promise<Json | null> {
  const base = server.around.env.COPILOT_API_URL;
  if (token === null || base === undefined || base === "") return null;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${base.replace(/\/+$/, "")}/copilot_internal/user`, { headers }).catch(() => null);
  return response?.ok === true ? recordOf(await response.json()) : null;
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
  const { login, copilot_plan } = user;
  return stated({
    isAuthenticated: true,
    authType: "token",
    host: "https://github.com",
    login: textOf(login),
    copilotPlan: textOf(copilot_plan),
  }) as Json;
}
