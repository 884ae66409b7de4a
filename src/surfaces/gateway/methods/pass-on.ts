import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { askLoginOf } from "../../../sources/login-port.ts";
import type { PeerServer } from "../servers/peer-servers.ts";
import type { Exchange } from "../views/front.ts";
import { type Params, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";

/**
 * A request that a server answers itself. What a client adds to come back to a question is between it and the gateway.
 */
export async function passOn(
  { peer, source }: PeerServer,
  method: string,
  params: Params,
  { cancelling, client, meta }: Exchange,
): Promise<ProtocolAnswer> {
  const { inputResponses: _, requestState: __, _meta: ___, ...rest } = params;
  const by = { signal: cancelling.signal, client };
  const send = () => peer.request(method, meta === undefined ? rest : { ...rest, _meta: meta }, by);
  try {
    try {
      return await send();
    } catch (error) {
      const asked = isToolcribError(error) ? ((await askLoginOf(source)?.(by)) ?? null) : null;
      if (asked === null) throw error;
      if (asked.kind === "ready") return await send();
      return asked.kind === "error"
        ? { kind: "error", code: asked.code, message: asked.message, data: asked.data }
        : refuseRequest(ERROR.internal, asked.text);
    }
  } catch (error) {
    if (isToolcribError(error)) return refuseRequest(ERROR.internal, error.message);
    if (cancelling.isCancelled) return refuseRequest(ERROR.server, "The request was cancelled.");
    throw error;
  }
}
