import type { Live, RuntimeState } from "../state/live.ts";
import { isJson, textOf, textsOf } from "../wire/wire-values.ts";
import { listModels } from "./list-models.ts";

type Endpoints = ReadonlyMap<string, readonly string[]>;

const known = new WeakMap<RuntimeState, Promise<Endpoints>>();

/** What the configured address says about how each of its models is asked; asked once, and nothing where it says nothing. */
export async function loadEndpoints({ server, wire, model, facts }: Live): Promise<void> {
  if (isJson(wire.provider) || model?.startsWith("scripted:")) return;
  const loading = known.get(server) ?? readEndpoints(server, textOf(wire.gitHubToken));
  known.set(server, loading);
  facts.set("endpoints", await loading);
}

async function readEndpoints(server: RuntimeState, token: string | undefined): Promise<Endpoints> {
  const models = await listModels(server, token, AbortSignal.timeout(PATIENCE)).catch(() => []);
  return new Map(models.map(({ id, supported_endpoints }) => [String(id), textsOf(supported_endpoints)]));
}

/** Milliseconds that a list of models may take before a run begins without it. */
const PATIENCE = 5_000;

/** How a model of the configured address is asked, in the words of a provider. */
export function endpointOf({ server, facts }: Live, model: string): { wireApi?: string; transport?: string } {
  const endpoints = (facts.get("endpoints") as Endpoints | undefined)?.get(model) ?? [];
  if (!endpoints.includes("/responses") || endpoints.includes("/chat/completions")) return {};
  const mayStay = server.around.env.COPILOT_EXP_COPILOT_CLI_WEBSOCKET_RESPONSES !== "false";
  return {
    wireApi: "responses",
    ...(mayStay && endpoints.includes("ws:/responses") ? { transport: "websockets" } : {}),
  };
}
