import type { IncomingHttpHeaders } from "node:http";
import { buildParameterHeaders } from "../../../sources/mcp/header-parameters.ts";
import { afterLargeWork, isLargeWork } from "../../../system/time/after-large-work.ts";
import type { ModernClient } from "../fronts/connected.ts";
import type { Fronts } from "../fronts/fronts.ts";
import { listen } from "../methods/listening.ts";
import {
  checkHeaders,
  checkVersion,
  checkVersionHeader,
  decodeHeader,
  headerMismatch,
  readEnvelope,
  textHeader,
} from "../wire/envelope.ts";
import type { ServerInfo } from "../wire/finish.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import { type IncomingRequest, isObject, type Refusal, refuseRequest, writeAnswer } from "../wire/json-rpc.ts";
import { ERROR, META } from "../wire/protocol.ts";
import { statusOf } from "../wire/store-away.ts";

const KNOWN_METHODS: ReadonlySet<string> = new Set([
  "server/discover",
  "subscriptions/listen",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
]);

export interface ModernHttpPorts {
  readonly fronts: Fronts;
  readonly server: ServerInfo;
}

/**
 * One request of the newer protocol over HTTP. Whatever is wrong with it is reported before anything is opened for it.
 */
export async function answerModern(
  request: IncomingRequest,
  headers: IncomingHttpHeaders,
  open: (clientName: string | null) => Promise<ModernClient>,
  reply: HttpReply,
  { fronts, server }: ModernHttpPorts,
): Promise<void> {
  const { id, method } = request;
  const routing = {
    version: textHeader(headers, "mcp-protocol-version"),
    method: textHeader(headers, "mcp-method"),
    name: textHeader(headers, "mcp-name"),
  };
  const refuseWith = (refusal: Refusal, status: number): void => reply.end(writeAnswer(id, refusal), status);
  const envelope = readEnvelope(request);
  if ("kind" in envelope) return refuseWith(envelope, 400);
  const refusal =
    checkVersionHeader(envelope, routing.version) ?? checkVersion(envelope) ?? checkHeaders(request, routing);
  if (refusal !== null) return refuseWith(refusal, 400);
  if (!KNOWN_METHODS.has(method))
    return refuseWith(refuseRequest(ERROR.method, `Method not found: ${method.slice(0, 200)}`), 404);
  const client = await open(envelope.clientName);
  if (method === "subscriptions/listen") return listenOn(request, client, reply, { fronts, server });
  const release = fronts.hold(client);
  try {
    const wrong = method === "tools/call" ? checkParameters(request, headers, client) : null;
    if (wrong !== null) return refuseWith(wrong, 400);
    fronts.open.add(reply);
    const answer = await client.front.answer(request, envelope, reply);
    const text = writeAnswer(id, answer);
    if (isLargeWork(text.length)) await afterLargeWork();
    reply.end(text, statusOf(answer));
  } finally {
    fronts.open.delete(reply);
    release();
  }
}

async function listenOn(
  request: IncomingRequest,
  client: ModernClient,
  reply: HttpReply,
  { fronts, server }: ModernHttpPorts,
): Promise<void> {
  const { id } = request;
  const release = fronts.holdStream(client);
  const listening = await listen(client.front, request, `${client.id} ${id}`, reply);
  if ("kind" in listening) {
    release();
    return reply.end(writeAnswer(id, listening));
  }
  fronts.open.add(reply);
  const stopEnd = client.front.onClose(() => {
    const _meta = { [META.subscription]: id, [META.server]: server };
    reply.end(writeAnswer(id, { kind: "result", result: { resultType: "complete", _meta } }));
  });
  reply.onOver(() => {
    stopEnd();
    fronts.open.delete(reply);
    listening.close();
    release();
  });
}

/** Parameters that a tool wants repeated in headers must be the same there. */
function checkParameters(
  { params }: IncomingRequest,
  headers: IncomingHttpHeaders,
  { front }: ModernClient,
): Refusal | null {
  if (typeof params.name !== "string" || !isObject(params.arguments)) return null;
  const offer = front.view.offer();
  const found = offer.request.find(offer.toWireName(params.name));
  if (found.kind !== "found") return null;
  const expected = buildParameterHeaders(found.tool.inputSchema, params.arguments);
  for (const [name, value] of Object.entries(expected ?? {})) {
    const given = headers[name.toLowerCase()];
    if (typeof given !== "string") return headerMismatch(name, "(missing)", value);
    if (decodeHeader(given) !== decodeHeader(value)) return headerMismatch(name, given, value);
  }
  return null;
}
