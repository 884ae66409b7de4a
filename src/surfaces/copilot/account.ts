import type { RuntimeState } from "./live.ts";
import { type Json, recordOf, stated, textOf } from "./wire-values.ts";

/** Who a token is, as the configured address says; nobody without one. */
export async function readAccount(server: RuntimeState, token: string | null): Promise<Json> {
  const base = server.around.env.COPILOT_API_URL;
  if (token === null || base === undefined || base === "") return { isAuthenticated: false };
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${base.replace(/\/+$/, "")}/copilot_internal/user`, { headers }).catch(() => null);
  if (response?.ok !== true) return { isAuthenticated: false };
  const { login, copilot_plan } = recordOf(await response.json());
  return stated({
    isAuthenticated: true,
    authType: "token",
    host: "https://github.com",
    login: textOf(login),
    copilotPlan: textOf(copilot_plan),
  }) as Json;
}
