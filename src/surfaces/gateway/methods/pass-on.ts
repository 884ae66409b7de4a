import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { PeerServer } from "../servers/peer-servers.ts";
import type { Exchange } from "../views/front.ts";
import { type Params, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";

/**
 * A request that a server answers itself. What a client adds to come back to a question is between it and the gateway.
 */
export async function passOn(
  { peer }: PeerServer,
  method: string,
  params: Params,
  { cancelling, client, meta }: Exchange,
): Promise<ProtocolAnswer> {
  const { inputResponses: _, requestState: __, _meta: ___, ...rest } = params;
  try {
    return await peer.request(method, meta === undefined ? rest : { ...rest, _meta: meta }, {
      signal: cancelling.signal,
      client,
    });
  } catch (error) {
    if (isToolcribError(error)) return refuseRequest(ERROR.internal, error.message);
    if (cancelling.isCancelled) return refuseRequest(ERROR.server, "The request was cancelled.");
    throw error;
  }
}
