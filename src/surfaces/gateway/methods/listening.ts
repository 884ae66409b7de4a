import { fromSignal } from "../../../core/call/cancelling.ts";
import type { PeerClient } from "../../../sources/peer.ts";
import type { Front } from "../views/front.ts";
import type { ViewEvent } from "../views/view.ts";
import {
  invalidParams,
  isObject,
  type Params,
  type Refusal,
  type RequestId,
  writeNotification,
} from "../wire/json-rpc.ts";
import type { Outlet } from "../wire/outlet.ts";
import { META } from "../wire/protocol.ts";
import { createResourceWatches, MOST_WATCHED } from "./resource-watches.ts";

/** A stream of changes that a client of the newer protocol asked for. */
export interface Listening {
  close(): void;
}

interface Wanted {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

const PATIENCE = 5_000;

/** First confirms what is listened to, then reports exactly that; every message carries the id of the request. */
export async function listen(
  front: Front,
  { id, params }: { readonly id: RequestId; readonly params: Params },
  clientId: string,
  outlet: Outlet,
): Promise<Listening | Refusal> {
  const wanted = readWanted(params.notifications);
  if (wanted === null) return invalidParams("subscriptions/listen needs `notifications`: what to listen to");
  const { view } = front;
  const client: PeerClient = { id: clientId, capabilities: {}, ask: async () => new Map(), notify: () => {} };
  const exchange = () => ({ cancelling: fromSignal(AbortSignal.timeout(PATIENCE)), client, meta: undefined });
  const watches = createResourceWatches(front);
  const { resourceSubscriptions: uris = [], ...lists } = wanted;
  await Promise.allSettled(uris.map((uri) => watches.add(uri, exchange())));
  const honoured = { ...lists, ...(watches.uris.length === 0 ? {} : { resourceSubscriptions: watches.uris }) };
  const tell = (method: string, told: Params): void => {
    const meta = isObject(told._meta) ? told._meta : {};
    outlet.send(writeNotification(method, { ...told, _meta: { ...meta, [META.subscription]: id } }));
  };
  let tools = view.offer().stable;
  const onEvent = (event: ViewEvent): void => {
    if (event.kind === "tools") {
      const now = view.offer().stable;
      if (wanted.toolsListChanged && now !== tools) tell("notifications/tools/list_changed", {});
      tools = now;
      return;
    }
    if (event.kind !== "told") return;
    const { server, method, params: told } = event;
    if (method === "notifications/prompts/list_changed" && wanted.promptsListChanged) tell(method, {});
    if (method === "notifications/resources/list_changed" && wanted.resourcesListChanged) tell(method, {});
    if (method === "notifications/resources/updated" && watches.wants(told.uri, server)) tell(method, told);
  };
  tell("notifications/subscriptions/acknowledged", { notifications: honoured });
  const stop = view.on(onEvent);
  return {
    close() {
      stop();
      watches.close(exchange());
    },
  };
}

function readWanted(value: unknown): Wanted | null {
  if (!isObject(value)) return null;
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions: uris } = value;
  for (const flag of [toolsListChanged, promptsListChanged, resourcesListChanged])
    if (flag !== undefined && typeof flag !== "boolean") return null;
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === "string"))) return null;
  return {
    ...(toolsListChanged === true ? { toolsListChanged } : {}),
    ...(promptsListChanged === true ? { promptsListChanged } : {}),
    ...(resourcesListChanged === true ? { resourcesListChanged } : {}),
    ...(Array.isArray(uris) && uris.length > 0 ? { resourceSubscriptions: uris.slice(0, MOST_WATCHED) } : {}),
  };
}
