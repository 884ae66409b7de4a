import type { IncomingMessage } from "node:http";
import type { Eventual } from "../../core/call/eventual.ts";
import type { Profile } from "../../runtime/crib/crib.ts";
import type { ServerInfo } from "./finish.ts";
import { type Fronts, identityOf, type KeptLegacy } from "./fronts.ts";
import type { HttpReply } from "./http-reply.ts";
import { readIntroduction, toInitializeAnswer } from "./initialize.ts";
import {
  type Incoming,
  type IncomingRequest,
  type ProtocolAnswer,
  type RequestId,
  refuse,
  sortIncoming,
  writeAnswer,
} from "./json-rpc.ts";
import { BATCH_VERSION, ERROR, LEGACY_VERSIONS } from "./protocol.ts";

export interface LegacyHttpPorts {
  readonly fronts: Fronts;
  readonly server: ServerInfo;
  readonly onMismatch: (profile: Profile, kept: KeptLegacy) => void;
}

export interface LegacyHttp {
  /** Opens a session; `reply` is made once its id is known. */
  initialize(request: IncomingRequest, profile: () => Profile, reply: (sessionId: string) => HttpReply): Promise<void>;
  /** One message, or an array of them where the session's version knows that. */
  post(
    body: Incoming | readonly unknown[],
    request: Pick<IncomingMessage, "headers">,
    profile: Profile,
    reply: HttpReply,
  ): Eventual<void>;
  stream(request: IncomingMessage, profile: Profile, reply: HttpReply): void;
  end(request: IncomingMessage, profile: Profile, reply: HttpReply): Promise<void>;
}

const SESSION_UNKNOWN = -32001;
const MOST_AT_ONCE = 100;

/** Sessions over HTTP: the id says which, the principal who may use it. */
export function createLegacyHttp({ fronts, server, onMismatch }: LegacyHttpPorts): LegacyHttp {
  /** The session that the request names, or the refusal that was sent instead. */
  const find = (
    { headers }: Pick<IncomingMessage, "headers">,
    profile: Profile,
    reply: HttpReply,
    id: RequestId | null,
  ) => {
    const given = headers["mcp-session-id"];
    if (typeof given !== "string" || given === "") {
      reply.end(writeAnswer(id, refuse(ERROR.server, "the header Mcp-Session-Id is missing: initialize first")), 400);
      return null;
    }
    const kept = fronts.findLegacy(given);
    if (kept === undefined) {
      reply.end(writeAnswer(id, refuse(SESSION_UNKNOWN, "Session not found")), 404);
      return null;
    }
    if (kept.profile !== profile && identityOf(kept.profile) !== identityOf(profile)) {
      onMismatch(profile, kept);
      reply.end(writeAnswer(id, refuse(ERROR.server, "this session belongs to somebody else")), 403);
      return null;
    }
    const version = headers["mcp-protocol-version"];
    if (version !== undefined && !LEGACY_VERSIONS.some((known) => known === version)) {
      const text = `Unsupported protocol version: ${String(version).slice(0, 100)} (supported: ${LEGACY_VERSIONS.join(", ")})`;
      reply.end(writeAnswer(id, refuse(ERROR.server, text)), 400);
      return null;
    }
    fronts.touch(kept);
    return kept;
  };

  const answer = async (kept: KeptLegacy, request: IncomingRequest, reply: HttpReply): Promise<void> => {
    fronts.open.add(reply);
    try {
      reply.end(toText(request.id, await kept.front.answer(request, reply)));
    } finally {
      fronts.open.delete(reply);
      fronts.touch(kept);
    }
  };

  const answerAll = async (
    kept: KeptLegacy,
    body: readonly unknown[],
    reply: HttpReply,
  ): Promise<readonly string[]> => {
    const answers: string[] = [];
    fronts.open.add(reply);
    try {
      await Promise.all(
        body.map(sortIncoming).map(async (message, at) => {
          if (message.kind === "request") answers[at] = toText(message.id, await kept.front.answer(message, reply));
          else if (message.kind === "invalid")
            answers[at] = writeAnswer(message.id, refuse(ERROR.request, message.text));
          else kept.front.take(message);
        }),
      );
    } finally {
      fronts.open.delete(reply);
      fronts.touch(kept);
    }
    // What needs no answer left a gap.
    return Object.values(answers);
  };

  const postBatch = async (kept: KeptLegacy, body: readonly unknown[], reply: HttpReply): Promise<void> => {
    const isKnown = kept.front.version === BATCH_VERSION && body.length > 0 && body.length <= MOST_AT_ONCE;
    if (!isKnown) {
      const text = `arrays of messages are for protocol version ${BATCH_VERSION}, up to ${MOST_AT_ONCE} messages`;
      return reply.end(writeAnswer(null, refuse(ERROR.request, text)), 400);
    }
    const texts = await answerAll(kept, body, reply);
    if (texts.length === 0) reply.accept();
    else if (reply.streams) {
      for (const text of texts) reply.send(text);
      reply.finish();
    } else reply.end(`[${texts.join()}]`);
  };

  return {
    async initialize({ id, params }, profile, reply) {
      const { version, capabilities, label } = readIntroduction(params);
      const kept = await fronts.openLegacy({ profile: profile(), label, version, capabilities });
      reply(kept.id).end(writeAnswer(id, toInitializeAnswer(version, server, kept.front.view.offer().instructions)));
    },
    post(body, request, profile, reply) {
      const isBatch = isArray(body);
      const kept = find(request, profile, reply, !isBatch && body.kind === "request" ? body.id : null);
      if (kept === null) return;
      if (isBatch) return postBatch(kept, body, reply);
      switch (body.kind) {
        case "request":
          return answer(kept, body, reply);
        case "invalid":
          return reply.end(writeAnswer(body.id, refuse(ERROR.request, body.text)), 400);
        default:
          kept.front.take(body);
          return reply.accept();
      }
    },
    stream(request, profile, reply) {
      const kept = find(request, profile, reply, null);
      if (kept === null) return;
      if (!reply.open())
        return reply.end(writeAnswer(null, refuse(ERROR.server, "GET needs Accept: text/event-stream")), 406);
      const release = fronts.hold(kept);
      const remove = kept.front.streams.add(reply);
      fronts.open.add(reply);
      const stopEnd = kept.front.onClose(() => reply.finish());
      reply.onOver(() => {
        stopEnd();
        fronts.open.delete(reply);
        remove();
        release();
      });
    },
    async end(request, profile, reply) {
      const kept = find(request, profile, reply, null);
      if (kept === null) return;
      await fronts.end(kept);
      reply.accept(200);
    },
  };
}

/** The client takes no notice of an answer to what it took back, but HTTP wants one. */
function toText(id: RequestId, answer: ProtocolAnswer | null): string {
  return writeAnswer(id, answer ?? refuse(ERROR.server, "The request was cancelled."));
}

function isArray(body: Incoming | readonly unknown[]): body is readonly unknown[] {
  return Array.isArray(body);
}
