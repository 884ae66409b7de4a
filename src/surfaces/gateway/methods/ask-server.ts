import { passServer } from "../../../runtime/filters/server-filters.ts";
import { cleanAnswer } from "../servers/clean-answer.ts";
import type { PeerServer } from "../servers/peer-servers.ts";
import type { Exchange, Front } from "../views/front.ts";
import { type Params, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";
import { passOn } from "./pass-on.ts";

/** Asks a server for a prompt or a resource: filters see what goes there and what comes back, as with calls of tools. */
export async function askServer(
  { view: { session } }: Front,
  server: PeerServer,
  method: string,
  params: Params,
  exchange: Exchange,
): Promise<ProtocolAnswer> {
  const { filters } = session.config;
  if (filters.length === 0) return cleanAnswer(await passOn(server, method, params, exchange));
  const { inputResponses: _, requestState: __, _meta: ___, ...given } = params;
  const about = { server: server.name, method, session: session.id };
  const asked = await passServer(filters, { ...about, on: "arguments", value: given }, exchange.cancelling);
  if (asked.kind === "refused") return refuseRequest(ERROR.params, `filter.blocked: ${asked.why}`);
  const answer = cleanAnswer(await passOn(server, method, { ...params, ...asked.value }, exchange));
  if (answer.kind !== "result") return answer;
  const passed = await passServer(filters, { ...about, on: "results", value: answer.result }, exchange.cancelling);
  if (passed.kind === "refused") return refuseRequest(ERROR.internal, `filter.withheld: ${passed.why}`);
  return passed.value === answer.result ? answer : { kind: "result", result: passed.value };
}
