import type { MessageId } from "../../system/rpc/message-id.ts";
import type { PeerClient } from "../peer.ts";
import type { Channel } from "./channel.ts";
import type { ServerExchange } from "./exchange.ts";

/** The client that a message belongs to, and which of its requests it may concern. */
export interface BehindRequest {
  readonly client: PeerClient;
  readonly exchanges: readonly ServerExchange[];
}

/**
 * Finds the client that a server's message belongs to. Over HTTP the stream on which it came says so (`related`); a
 * process does not say, so it is clear only while a single client has requests open, or abandoned ones that may still
 * run.
 */
export function findAskedBy(
  { exchanges, givenUp }: Pick<Channel, "exchanges" | "givenUp">,
  related: MessageId | null,
  since: number,
): BehindRequest | "nobody" | "several" | "idle" {
  if (related !== null) {
    const exchange = exchanges.get(related);
    if (exchange === undefined || exchange.client === null) return "nobody";
    return { client: exchange.client, exchanges: [exchange] };
  }
  const open = [...exchanges.values()].filter(({ own }) => !own);
  const ids = new Set(open.map(({ client }) => client?.id ?? null));
  for (const { client, at } of givenUp.values()) if (at > since) ids.add(client);
  if (ids.size > 1) return "several";
  const client = open.at(-1)?.client ?? null;
  if (client !== null) return { client, exchanges: open };
  return open.length === 0 && ids.size === 0 ? "idle" : "nobody";
}
