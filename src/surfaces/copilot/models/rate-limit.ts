import { ModelError } from "../../../runtime/models/model-error.ts";
import { askClient } from "../clients/ask-client.ts";
import { type Live, tell, tellPassing } from "../state/live.ts";
import { recordOf, stated, textOf } from "../wire/wire-values.ts";

/** A model that a person has used up may be replaced by another, where a client says so. */
export async function mayGoOn(live: Live, error: unknown): Promise<boolean> {
  if (!(error instanceof ModelError) || error.status !== 429 || !/^user_.*rate_limited$/.test(error.code ?? ""))
    return false;
  const client = [...live.clients.values()].find(({ autoSwitch }) => autoSwitch);
  if (client === undefined || live.model === "auto") return false;
  const requestId = live.server.around.newId();
  const retryAfterSeconds = error.retryAfter === null ? undefined : error.retryAfter / 1_000;
  const asked = stated({ errorCode: error.code ?? undefined, retryAfterSeconds });
  tellPassing(live, "auto_mode_switch.requested", { requestId, ...asked });
  const asking = askClient(live, client.connection, "autoModeSwitch.request", asked);
  const answer = await asking.catch(() => ({ response: "no" }));
  const response = textOf(recordOf(answer).response) ?? "no";
  tellPassing(live, "auto_mode_switch.completed", { requestId, response });
  if (!response.startsWith("yes")) return false;
  const previousModel = live.model;
  live.model = "auto";
  tell(live, "session.model_change", stated({ newModel: "auto", previousModel, cause: "rate_limit_auto_switch" }));
  return true;
}
