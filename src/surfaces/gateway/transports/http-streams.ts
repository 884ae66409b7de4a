import type { LegacyClient } from "../fronts/connected.ts";
import type { Fronts } from "../fronts/fronts.ts";
import type { StoredStreams } from "../shared/stored-streams.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import { type IncomingRequest, refuseRequest, writeAnswer } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";

interface StreamPorts {
  readonly fronts: Fronts;
  readonly streams: StoredStreams | null;
}

/** From this version on clients understand events without content. */
const PRIMED_VERSION = "2025-11-25";

export function isPrimed({ front }: LegacyClient): boolean {
  return front.version >= PRIMED_VERSION;
}

/** A stream that a client of the older protocol keeps open for messages that belong to no request. */
export function stand(client: LegacyClient, reply: HttpReply, fronts: Fronts): void {
  if (!reply.open()) {
    reply.end(writeAnswer(null, refuseRequest(ERROR.server, "GET needs Accept: text/event-stream")), 406);
    return;
  }
  const remove = client.front.streams.add(reply);
  const stopEnd = client.front.onClose(() => reply.finish());
  hold(client, reply, fronts, () => {
    stopEnd();
    remove();
  });
}

/** Resumes the answer to a request, if the client names one; else it wants a standing stream. */
export async function comeBack(
  client: LegacyClient,
  lastEventId: string,
  reply: HttpReply,
  { fronts, streams }: StreamPorts,
  answer: (request: IncomingRequest, reply: HttpReply) => void,
): Promise<void> {
  const asked = { session: client.id, lastEventId, primes: isPrimed(client) };
  if (await streams?.resume(asked, reply, answer)) hold(client, reply, fronts, () => {});
  else stand(client, reply, fronts);
}

function hold(client: LegacyClient, reply: HttpReply, fronts: Fronts, onOver: () => void): void {
  const release = fronts.hold(client);
  fronts.open.add(reply);
  reply.onOver(() => {
    fronts.open.delete(reply);
    onOver();
    release();
  });
}
