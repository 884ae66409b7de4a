import type { IncomingMessage } from "node:http";
import type { Eventual } from "../../../core/call/eventual.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { afterLargeWork, isLargeWork } from "../../../system/time/after-large-work.ts";
import { clientOwner } from "../fronts/client-owner.ts";
import type { LegacyClient } from "../fronts/connected.ts";
import type { Fronts } from "../fronts/fronts.ts";
import type { StoredStreams } from "../shared/stored-streams.ts";
import type { ServerInfo } from "../wire/finish.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import { readIntroduction, toInitializeAnswer } from "../wire/initialize.ts";
import {
  type Incoming,
  type IncomingRequest,
  type ProtocolAnswer,
  type RequestId,
  refuseRequest,
  sortIncoming,
  writeAnswer,
} from "../wire/json-rpc.ts";
import { BATCH_VERSION, ERROR, LEGACY_VERSIONS } from "../wire/protocol.ts";
import { STORE_AWAY } from "../wire/store-away.ts";
import { comeBack, isPrimed, stand } from "./http-streams.ts";

export interface LegacyHttpPorts {
  readonly fronts: Fronts;
  readonly server: ServerInfo;
  /** Where answers that became streams are stored; null if they end with their connection. */
  readonly streams: StoredStreams | null;
  /** Somebody presented another person's session: one that is open here, or one that the store knows. */
  readonly onMismatch: (profile: Profile, client: LegacyClient | null) => void;
}

type Asked = Pick<IncomingMessage, "headers">;

export interface LegacyHttp {
  /** Opens a session; `reply` is made once its id is known. */
  initialize(request: IncomingRequest, profile: () => Profile, reply: (sessionId: string) => HttpReply): Promise<void>;
  /** One message, or an array of them if the session's version supports that. */
  post(body: Incoming | readonly unknown[], request: Asked, profile: Profile, reply: HttpReply): Eventual<void>;
  stream(request: IncomingMessage, profile: Profile, reply: HttpReply): Eventual<void>;
  end(request: IncomingMessage, profile: Profile, reply: HttpReply): Promise<void>;
}

const SESSION_UNKNOWN = -32001;
const MOST_AT_ONCE = 100;

/** Sessions over HTTP: the id says which, the principal who may use it. */
export function createLegacyHttp(ports: LegacyHttpPorts): LegacyHttp {
  const { fronts, server } = ports;
  /** Runs the work with the session that the request names, at once if it is open here; or sends the refusal. */
  const withSession = (
    asked: Asked,
    profile: Profile,
    reply: HttpReply,
    id: RequestId | null,
    work: (client: LegacyClient) => Eventual<void>,
  ): Eventual<void> => {
    const take = (found: LegacyClient | SessionRefusal): Eventual<void> => {
      if (!("front" in found))
        return reply.end(writeAnswer(id, refuseRequest(found.code ?? ERROR.server, found.text)), found.status);
      fronts.touch(found);
      return work(found);
    };
    const found = findSession(asked, profile, ports);
    return found instanceof Promise ? found.then(take) : take(found);
  };

  /** As `whileOpen`, written out: each function that waits costs every call. */
  const answerRequest = async (client: LegacyClient, body: IncomingRequest, reply: HttpReply): Promise<void> => {
    fronts.open.add(reply);
    try {
      const answer = (await client.front.answer(body, reply)) ?? CANCELLED;
      const text = writeAnswer(body.id, answer);
      if (isLargeWork(text.length)) await afterLargeWork();
      reply.end(text, answer === STORE_AWAY ? 503 : 200);
    } finally {
      fronts.open.delete(reply);
      fronts.touch(client);
    }
  };

  return {
    async initialize({ id, params }, profile, reply) {
      const { version, capabilities, label } = readIntroduction(params);
      const client = await fronts.openLegacy({ profile: profile(), label, version, capabilities }, true);
      const instructions = await client.front.instructions();
      reply(client.id).end(writeAnswer(id, toInitializeAnswer(version, server, instructions)));
    },
    post(body, request, profile, reply) {
      const isBatch = isArray(body);
      const id = !isBatch && body.kind === "request" ? body.id : null;
      return withSession(request, profile, reply, id, (client) => {
        if (isBatch) return postBatch(fronts, client, body, reply);
        switch (body.kind) {
          case "request":
            return answerRequest(client, body, ports.streams?.keep(reply, client.id, body, isPrimed(client)) ?? reply);
          case "invalid":
            return reply.end(writeAnswer(body.id, refuseRequest(ERROR.request, body.text)), 400);
          default:
            client.front.take(body);
            return reply.accept();
        }
      });
    },
    stream: (request, profile, reply) =>
      withSession(request, profile, reply, null, (client) => {
        const { "last-event-id": last } = request.headers;
        if (typeof last !== "string") return stand(client, reply, fronts);
        return comeBack(client, last, reply, ports, (body, own) => void answerRequest(client, body, own));
      }),
    async end(request, profile, reply) {
      await withSession(request, profile, reply, null, async (client) => {
        await fronts.endForGood(client);
        reply.accept(200);
      });
    },
  };
}

async function postBatch(
  fronts: Fronts,
  client: LegacyClient,
  body: readonly unknown[],
  reply: HttpReply,
): Promise<void> {
  const isKnown = client.front.version === BATCH_VERSION && body.length > 0 && body.length <= MOST_AT_ONCE;
  if (!isKnown) {
    const text = `arrays of messages are for protocol version ${BATCH_VERSION}, up to ${MOST_AT_ONCE} messages`;
    return reply.end(writeAnswer(null, refuseRequest(ERROR.request, text)), 400);
  }
  const texts = await whileOpen(fronts, client, reply, () => answerAll(client, body, reply));
  if (texts.length === 0) reply.accept();
  else if (reply.streams) {
    for (const text of texts) reply.send(text);
    reply.finish();
  } else reply.end(`[${texts.join()}]`);
}

/** Keeps the reply open while the client waits for it. */
async function whileOpen<T>(
  fronts: Fronts,
  client: LegacyClient,
  reply: HttpReply,
  work: () => Promise<T>,
): Promise<T> {
  fronts.open.add(reply);
  try {
    return await work();
  } finally {
    fronts.open.delete(reply);
    fronts.touch(client);
  }
}

/** The client ignores the answer to a request that it cancelled, but HTTP needs one. */
const CANCELLED: ProtocolAnswer = refuseRequest(ERROR.server, "The request was cancelled.");

async function answerAll(client: LegacyClient, body: readonly unknown[], reply: HttpReply): Promise<readonly string[]> {
  const answers = body.map(sortIncoming).map(async (message) => {
    if (message.kind === "request")
      return [writeAnswer(message.id, (await client.front.answer(message, reply)) ?? CANCELLED)];
    if (message.kind === "invalid") return [writeAnswer(message.id, refuseRequest(ERROR.request, message.text))];
    client.front.take(message);
    return [];
  });
  return (await Promise.all(answers)).flat();
}

interface SessionRefusal {
  readonly status: number;
  readonly text: string;
  readonly code?: number;
}

function findSession(
  asked: Asked,
  profile: Profile,
  { fronts, onMismatch }: LegacyHttpPorts,
): LegacyClient | SessionRefusal | Promise<LegacyClient | SessionRefusal> {
  const given = asked.headers["mcp-session-id"];
  if (typeof given !== "string" || given === "")
    return { status: 400, text: "the header Mcp-Session-Id is missing: initialize first" };
  const check = (client: LegacyClient | "unknown" | "foreign"): LegacyClient | SessionRefusal => {
    if (typeof client === "object") return checkVersion(asked, client);
    if (client === "foreign") onMismatch(profile, fronts.findLegacy(given) ?? null);
    return UNKNOWN;
  };
  const client = fronts.findLegacy(given);
  if (client === undefined) return fronts.restoreLegacy(given, profile).then(check);
  if (client.profile === profile || clientOwner(client.profile) === clientOwner(profile)) return check(client);
  return fronts.lookUp(given).then(() => check("foreign"));
}

/** Another one's session is answered like one that never was, and takes as long (O7). */
const UNKNOWN: SessionRefusal = { status: 404, text: "Session not found", code: SESSION_UNKNOWN };

function checkVersion({ headers }: Asked, client: LegacyClient): LegacyClient | SessionRefusal {
  const version = headers["mcp-protocol-version"];
  if (version === undefined || LEGACY_VERSIONS.some((known) => known === version)) return client;
  const supported = LEGACY_VERSIONS.join(", ");
  const text = `Unsupported protocol version: ${String(version).slice(0, 100)} (supported: ${supported})`;
  return { status: 400, text };
}

function isArray(body: Incoming | readonly unknown[]): body is readonly unknown[] {
  return Array.isArray(body);
}
