import type { PeerServer } from "../servers/peer-servers.ts";
import type { Exchange, Front } from "../views/front.ts";
import { invalidParams, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";
import { passOn } from "./pass-on.ts";
import { findResourceOwners, resourceNotFound } from "./resources.ts";

/** Resources that one client watches. */
export interface ResourceWatches {
  readonly uris: readonly string[];
  add(uri: unknown, exchange: Exchange): Promise<ProtocolAnswer>;
  remove(uri: unknown, exchange: Exchange): Promise<ProtocolAnswer>;
  /** Watches these and no others, as another machine learned. */
  follow(uris: readonly string[], exchange: Exchange): void;
  /** Whether updates of that resource are wanted, from that server. */
  wants(uri: unknown, server: PeerServer): boolean;
  /** Unsubscribes from all servers, without waiting for them. */
  close(exchange: Exchange): void;
}

/** Resources that one client may watch. */
export const MOST_WATCHED = 1_000;

const NONE: readonly string[] = [];

export function createResourceWatches(front: Front): ResourceWatches {
  const watched = new Map<string, PeerServer>();
  const watches: ResourceWatches = {
    get uris() {
      return watched.size === 0 ? NONE : [...watched.keys()];
    },
    async add(uri, exchange) {
      if (typeof uri !== "string") return invalidParams("resources/subscribe needs a uri");
      if (watched.size >= MOST_WATCHED)
        return refuseRequest(ERROR.server, `a client may watch ${MOST_WATCHED} resources`);
      const [owner] = await findResourceOwners(front, uri);
      if (owner === undefined) return resourceNotFound(uri);
      const answer = await passOn(owner, "resources/subscribe", { uri }, exchange);
      if (answer.kind !== "error") watched.set(uri, owner);
      return answer;
    },
    async remove(uri, exchange) {
      if (typeof uri !== "string") return invalidParams("resources/unsubscribe needs a uri");
      const owner = watched.get(uri) ?? (await findResourceOwners(front, uri))[0];
      watched.delete(uri);
      return owner === undefined ? resourceNotFound(uri) : passOn(owner, "resources/unsubscribe", { uri }, exchange);
    },
    follow(uris, exchange) {
      for (const uri of [...watched.keys()].filter((one) => !uris.includes(one)))
        void watches.remove(uri, exchange).catch(() => {});
      for (const uri of uris.filter((one) => !watched.has(one))) void watches.add(uri, exchange).catch(() => {});
    },
    wants: (uri, { peer }) => typeof uri === "string" && watched.get(uri)?.peer === peer,
    close(exchange) {
      for (const [uri, owner] of watched)
        void passOn(owner, "resources/unsubscribe", { uri }, exchange).catch(() => {});
      watched.clear();
    },
  };
  return watches;
}
