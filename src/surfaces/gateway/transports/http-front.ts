import type { IncomingMessage, ServerResponse } from "node:http";
import type { Eventual } from "../../../core/call/eventual.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { narrowProfile } from "../../../runtime/crib/profile.ts";
import { type Backlog, createBacklog } from "../../../system/rpc/backlog.ts";
import { clientOwner } from "../fronts/client-owner.ts";
import type { Fronts } from "../fronts/fronts.ts";
import { TooManyClients } from "../fronts/make-room.ts";
import { headerMismatch, isModern, textHeader } from "../wire/envelope.ts";
import { accepts, createHttpReply, type HttpReply, readPostedText } from "../wire/http-reply.ts";
import {
  isObject,
  parseMessage,
  type Refusal,
  type RequestId,
  refuseRequest,
  sortIncoming,
  writeAnswer,
} from "../wire/json-rpc.ts";
import { ERROR, isModernVersion } from "../wire/protocol.ts";
import { isStoreAway, STORE_AWAY } from "../wire/store-away.ts";
import { createLegacyHttp, type LegacyHttp, type LegacyHttpPorts } from "./http-legacy.ts";
import { answerModern } from "./http-modern.ts";
import { readNarrowing } from "./read-narrowing.ts";
import { createTurns, type Turns } from "./turns.ts";

export interface HttpFrontPorts extends LegacyHttpPorts {
  readonly fronts: Fronts;
  readonly messageBytes: number;
  readonly onError: (text: string, error: unknown) => void;
}

interface Access {
  readonly profile: Profile;
  /** The headers of a refusal with status 403, if the token is for reading alone; absent if it is for calls too. */
  readonly noCalls?: Readonly<Record<string, string>>;
  /** Those of one with status 401, once the token counts no more. */
  readonly noLonger?: () => Readonly<Record<string, string>> | null;
}

export interface HttpFront {
  readonly handleHttp: (request: IncomingMessage, response: ServerResponse, access: Access) => Promise<void>;
}

/** The one endpoint for both eras; each request shows which one it belongs to. */
export function createHttpFront(ports: HttpFrontPorts): HttpFront {
  const { messageBytes, onError } = ports;
  const legacy = createLegacyHttp(ports);
  const take = createTaker(ports, legacy);
  const tooLong = { status: 413, text: `the message is over ${messageBytes} bytes` };

  /** By owner: those who send much at once wait for themselves. */
  const backlogs = new Map<string, Backlog>();
  const backlogOf = (profile: Profile): Backlog => {
    const owner = clientOwner(profile);
    const known = backlogs.get(owner) ?? createBacklog(messageBytes);
    backlogs.set(owner, known);
    return known;
  };

  const turns = createTurns();

  const post = async (request: IncomingMessage, response: ServerResponse, access: Access): Promise<void> => {
    const problem = checkContent(request);
    if (problem !== null) return refuseContent(problem, request, response);
    const text = await readPostedText(request, messageBytes, () => backlogOf(access.profile));
    const turn = turns.wait(clientOwner(access.profile), textHeader(request.headers, "mcp-session-id") ?? "");
    if (turn !== null) {
      await turn;
      restAfterwards(turns, request, response, access.profile);
    }
    const ended = access.noLonger?.() ?? null;
    if (ended !== null) return createHttpReply(request, response, ended).end(writeAnswer(null, ENDED), 401);
    if (text !== null) return take(request, text, response, access);
    return refuseContent(tooLong, request, response);
  };

  const answer = (request: IncomingMessage, response: ServerResponse, access: Access): Eventual<void> => {
    const { profile } = access;
    switch (request.method) {
      case "POST":
        return post(request, response, access);
      case "GET":
        return legacy.stream(request, profile, createHttpReply(request, response));
      case "DELETE":
        return legacy.end(request, profile, createHttpReply(request, response));
      default:
        response.writeHead(405, { allow: "POST, GET, DELETE", "content-length": 0 }).end();
    }
  };

  const failed = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    if (response.headersSent || response.destroyed) {
      if (!response.destroyed) onError("a request broke", error);
      response.destroy();
      return;
    }
    const { status, refusal } = explain(error, onError);
    createHttpReply(request, response).end(writeAnswer(null, refusal), status);
  };

  return {
    async handleHttp(request, response, access) {
      try {
        await answer(request, response, access);
      } catch (error) {
        failed(request, response, error);
      }
    },
  };
}

/** Reads no more from a client that has much waiting, until that has had its turn. */
function restAfterwards(turns: Turns, request: IncomingMessage, response: ServerResponse, profile: Profile): void {
  const { socket } = request;
  response.once("finish", () => {
    const rest = turns.rest(clientOwner(profile), textHeader(request.headers, "mcp-session-id") ?? "");
    if (rest === null) return;
    socket.pause();
    void rest.then(() => socket.resume());
  });
}

/** One message of an accepted client, of either era. */
function createTaker(
  ports: HttpFrontPorts,
  legacy: LegacyHttp,
): (request: IncomingMessage, text: string, response: ServerResponse, access: Access) => Eventual<void> {
  /** A failure before anything was sent is the answer to that request. */
  const orExplain = (work: Promise<void>, id: RequestId, response: ServerResponse, reply: HttpReply): Promise<void> =>
    work.catch((error: unknown) => {
      if (response.headersSent) throw error;
      const { status, refusal } = explain(error, ports.onError);
      reply.end(writeAnswer(id, refusal), status);
    });

  return (request, text, response, { profile, noCalls }) => {
    const { headers } = request;
    const reply = createHttpReply(request, response);
    const parsed = parseMessage(text, "body");
    if ("kind" in parsed) return reply.end(writeAnswer(null, parsed), 400);
    if (noCalls !== undefined && callsTools(parsed.value))
      return createHttpReply(request, response, noCalls).end(writeAnswer(null, NO_CALLS), 403);
    if (Array.isArray(parsed.value)) return legacy.post(parsed.value, request, profile, reply);
    const version = textHeader(headers, "mcp-protocol-version");
    const message = sortIncoming(parsed.value);
    if (message.kind === "invalid" && headers["mcp-session-id"] === undefined)
      return reply.end(writeAnswer(message.id, refuseRequest(ERROR.request, message.text)), 400);
    if ((message.kind === "request" || message.kind === "notification") && isModern(message, version)) {
      // Without sessions, unsolicited notifications change nothing.
      if (message.kind === "notification") return reply.accept();
      const query = queryOf(request);
      const open = (name: string | null) =>
        ports.fronts.modern(narrow(profile, query), `${viewKey(profile)}\n${query}`, name);
      return orExplain(answerModern(message, headers, open, reply, ports), message.id, response, reply);
    }
    if (message.kind === "request" && message.method === "initialize") {
      if (version !== undefined && isModernVersion(version))
        return reply.end(writeAnswer(message.id, headerMismatch("MCP-Protocol-Version", version, "initialize")), 400);
      const withId = (id: string): HttpReply => createHttpReply(request, response, { "mcp-session-id": id });
      const opening = legacy.initialize(message, () => narrow(profile, queryOf(request)), withId);
      return orExplain(opening, message.id, response, reply);
    }
    return legacy.post(message, request, profile, reply);
  };
}

function refuseContent(
  problem: { readonly status: number; readonly text: string },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  createHttpReply(request, response).end(writeAnswer(null, refuseRequest(ERROR.server, problem.text)), problem.status);
}

/** A client's mistakes are reported to it; everything else goes to the log. */
const ENDED = refuseRequest(ERROR.server, "the access that this token gave has ended");
const NO_CALLS = refuseRequest(ERROR.server, "this token is for reading alone; log in again and allow calls");

/** Whether a message, or one of several, is a call. */
function callsTools(value: unknown): boolean {
  return Array.isArray(value) ? value.some(callsTools) : isObject(value) && value.method === "tools/call";
}

function explain(
  error: unknown,
  onError: HttpFrontPorts["onError"],
): { readonly status: number; readonly refusal: Refusal } {
  const told = (status: number, text: string, code?: string) => ({
    status,
    refusal: refuseRequest(ERROR.server, text, code === undefined ? undefined : { code }),
  });
  if (isStoreAway(error)) return { status: 503, refusal: STORE_AWAY };
  if (error instanceof TooManyClients) return told(503, error.message);
  if (isToolcribError(error)) return told(STATUS.get(error.code) ?? 400, error.message, error.code);
  onError("a request failed", error);
  return told(500, "Internal error");
}

const STATUS: ReadonlyMap<string, number> = new Map([
  ["agent.bound", 403],
  ["people.ended", 403],
]);

function checkContent({ headers }: IncomingMessage): { readonly status: number; readonly text: string } | null {
  const { "content-type": type = "" } = headers;
  if (type !== "application/json" && type.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    return { status: 415, text: "Content-Type must be application/json" };
  const { accept } = headers;
  if (accepts(accept, "application/json") || accepts(accept, "text/event-stream")) return null;
  return { status: 406, text: "Accept must allow application/json and text/event-stream" };
}

/** What one person let the same client have twice ends apart, so that it is worked on apart. */
function viewKey(profile: Profile): string {
  const { authorization } = profile;
  return authorization ? `${clientOwner(profile)}\n${authorization}` : clientOwner(profile);
}

function queryOf({ url = "" }: IncomingMessage): string {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
}

/** `?agent=`, `?include=` and `?exclude=` can only narrow what the token allows. */
function narrow(profile: Profile, query: string): Profile {
  return query === "" ? profile : narrowProfile(profile, readNarrowing(query));
}
