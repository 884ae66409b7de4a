import type { PeerServer } from "../servers/peer-servers.ts";
import type { View } from "../views/view.ts";
import { isObject, type Params } from "../wire/json-rpc.ts";

/**
 * Has servers ask for a client's roots again. Only those that nobody else uses are notified: to a shared one it would be
 * news about all its clients, and its question could be put to none of them.
 */
export function tellRoots({ peers }: View, { roots }: Params, servers: readonly PeerServer[]): void {
  if (!isObject(roots)) return;
  for (const server of servers) if (peers.isAlone(server)) server.peer.notify("notifications/roots/list_changed", {});
}
