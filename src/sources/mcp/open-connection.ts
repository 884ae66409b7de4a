import type { Client } from "@modelcontextprotocol/client";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Loss } from "../../system/rpc/framed-process.ts";
import type { Background } from "../../system/time/background.ts";
import type { Clock } from "../../system/time/clock.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { onAbort } from "../../system/time/until-aborted.ts";
import type { PeerAnswer, PeerClient } from "../peer.ts";
import { DECLARED_CAPABILITIES } from "./client-capabilities.ts";
import type { ClientPackage } from "./client-package.ts";
import type { Connection } from "./connection.ts";
import { areHeadersValid } from "./header-parameters.ts";
import { findAskedBy } from "./in-flight.ts";
import type { McpLimits } from "./limits.ts";
import { type ListedEntry, listAllTools } from "./list-tools.ts";
import { type LocalFault, localFaultOf } from "./local-fault.ts";
import { createQuestions } from "./questions.ts";
import { createRequests } from "./requests.ts";
import { keepSubscribed, NEVER, type Wanted } from "./subscription.ts";
import type { McpTransport } from "./transport.ts";

type Params = Readonly<Record<string, unknown>>;

export interface ConnectionOptions {
  /** Its configured name. */
  readonly server: string;
  readonly transport: McpTransport;
  readonly client: ClientPackage;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly background: Background;
  /** `auto` tries the newer protocol first. */
  readonly era: "auto" | "legacy";
  readonly version: string;
  /** Receives notifications that belong to no request. */
  readonly onNotification: (method: string, params: Params) => void;
  /** The resources that are subscribed to now. */
  readonly subscribed: () => readonly string[];
  /** Clients that can be asked outside of any request. */
  readonly attached: () => readonly PeerClient[];
  /** How long the probe for the newer protocol may stay unanswered. */
  readonly probeTimeout: number;
  readonly signal: AbortSignal;
}

/** The session is unknown: a new one must be opened. */
const GONE_STATUS = 404;
const LOGIN_STATUS = 401;

/** Does the handshake. If that fails, or the signal is aborted, the transport is closed and the promise rejects. */
export async function openServerConnection(options: ConnectionOptions): Promise<Connection> {
  const { transport, client: sdk, signal } = options;
  const client = new sdk.Client(
    { name: "toolcrib", version: options.version },
    {
      capabilities: DECLARED_CAPABILITIES,
      versionNegotiation: { mode: options.era, probe: { timeoutMs: options.probeTimeout } },
      inputRequired: { autoFulfill: false },
    },
  );
  const stopListening = listen(options);
  const letGo = onAbort(signal, () => void transport.close());
  try {
    signal.throwIfAborted();
    await client.connect(transport, { timeout: NEVER, signal });
    signal.throwIfAborted();
  } catch (error) {
    stopListening();
    await transport.close();
    throw error;
  } finally {
    letGo();
  }
  return toConnection(client, options, stopListening);
}

/** Handles what the server sends unprompted, from the first moment on. Returns how to stop. */
function listen({ server, transport, limits, clock, attached, onNotification }: ConnectionOptions): () => void {
  const { channel } = transport;
  const answer = (id: string | number, given: PeerAnswer) => {
    const { kind: _, ...rest } = given;
    const message = given.kind === "result" ? { result: { ...given.result } } : { error: rest };
    void transport.send({ jsonrpc: "2.0", id, ...message } as Parameters<McpTransport["send"]>[0]).catch(() => {}); // Either a result or an error.
  };
  const questions = createQuestions({ server, channel, attached, limits, clock, answer });
  channel.listener = {
    onQuestion: questions.take,
    onQuestionCancelled: questions.cancel,
    onNotification(method, params, related) {
      // It came on a stream of changes or on none: then only a log message can belong to a request.
      const isOpen = related !== null && channel.exchanges.has(related);
      if (isAboutServer(method) || (!isOpen && method !== LOG)) return onNotification(method, withoutMark(params));
      const found = findAskedBy(channel, isOpen ? related : null, clock.now() - limits.lingering);
      if (found === "idle") onNotification(method, params);
      // A log line that may concern somebody else's request is shown to nobody.
      else if (typeof found !== "string") found.client.notify(method, params);
    },
  };
  void transport.lost.then(() => {
    questions.close();
    const fault: LocalFault = { code: "mcp.disconnected", text: "The connection ended before the answer came." };
    for (const id of [...channel.exchanges.keys()]) channel.fail(id, fault);
  });
  return questions.close;
}

const LOG = "notifications/message";
const MARK = "io.modelcontextprotocol/subscriptionId";

/** The id of our stream is of no use to anybody else. */
function withoutMark(params: Params): Params {
  const { _meta } = params;
  if (!isRecord(_meta) || !Object.hasOwn(_meta, MARK)) return params;
  const { [MARK]: _, ...meta } = _meta;
  const { _meta: __, ...rest } = params;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** Concerns everybody who uses the server, whatever stream it came on. */
function isAboutServer(method: string): boolean {
  return method.endsWith("/list_changed") || method === "notifications/resources/updated";
}

function toConnection(client: Client, options: ConnectionOptions, stopListening: () => void): Connection {
  const { transport, client: sdk, limits, version } = options;
  const era = client.getProtocolEra() ?? "legacy";
  const found = createDeferred<Loss>();
  const greeting = transport.channel.greeting ?? {};
  const capabilities = isRecord(greeting.capabilities) ? greeting.capabilities : {};
  const wantsHeaders = era === "modern" && transport.hasPerRequestStream === true;
  const subscription =
    era === "modern" ? keepSubscribed(client, { ...options, wanted: () => toWanted(capabilities, options) }) : null;

  /** Turns every failure of a request into something that a person can act on. */
  const toFault = (trouble: LocalFault | { readonly thrown: unknown }): unknown => {
    const fault = "thrown" in trouble ? localFaultOf(trouble.thrown) : trouble;
    if (fault !== null) {
      if (fault.code === "mcp.disconnected") found.resolve({ reason: "closed the connection" });
      return new ToolcribError(fault.code, fault.text, { cause: fault });
    }
    const error = "thrown" in trouble ? trouble.thrown : null;
    if (error instanceof sdk.SdkHttpError && error.status !== GONE_STATUS) {
      if (error.status === LOGIN_STATUS) found.resolve({ reason: `needs a login (HTTP ${LOGIN_STATUS})` });
      return new ToolcribError("mcp.unavailable", `The server answered with HTTP ${error.status}.`);
    }
    // Arguments that JSON cannot express are a bug on this side, and no reason to drop the server.
    if (error instanceof TypeError) return error;
    found.resolve({ reason: "closed the connection" });
    return new ToolcribError("mcp.disconnected", "The server ended, or closed the connection.");
  };
  const envelope =
    era === "modern"
      ? {
          protocolVersion: client.getNegotiatedProtocolVersion() ?? "2026-07-28",
          clientInfo: { name: "toolcrib", version },
        }
      : null;
  const requests = createRequests({ transport, envelope, toFault });

  return {
    server: options.server,
    era,
    wantsHeaders,
    instructions: client.getInstructions() ?? null,
    capabilities,
    serverInfo: readServerInfo(greeting),
    lost: Promise.race([transport.lost, found.promise]),
    get refusal() {
      return transport.refusal;
    },
    async listTools(signal) {
      if (capabilities.tools === undefined) return [];
      const listed = await listAllTools((cursor) => listPage(requests, cursor, signal), limits, options.background);
      return wantsHeaders ? listed.map(withValidHeaders) : listed;
    },
    send: requests.send,
    notify(method, params) {
      // The newer protocol has no such messages: the server asks for the data when it needs it.
      if (era === "legacy") void transport.send({ jsonrpc: "2.0", method, params: { ...params } }).catch(() => {});
    },
    resubscribe: async (signal) => subscription?.renew(signal),
    readStderr: transport.readStderr,
    async close() {
      subscription?.stop();
      stopListening();
      await client.close();
      await transport.close();
    },
  };
}

async function listPage(
  { send }: Pick<Connection, "send">,
  cursor: string | null,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const params = cursor === null ? {} : { cursor };
  const pending = send("tools/list", params, { client: null, own: true, onProgress: null, onWaiting: null });
  const letGo = onAbort(signal, () => pending.cancel("no longer wanted"));
  try {
    const answer = await pending.answered;
    if (answer.kind === "result") return answer.result;
    throw new ToolcribError("mcp.invalid-answer", `The server cannot list its tools: ${answer.message}`);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    letGo();
  }
}

function toWanted(capabilities: Params, { subscribed }: ConnectionOptions): Wanted {
  const reports = (kind: string) => isRecord(capabilities[kind]) && capabilities[kind].listChanged === true;
  const uris = subscribed();
  return {
    ...(reports("tools") ? { toolsListChanged: true } : {}),
    ...(reports("prompts") ? { promptsListChanged: true } : {}),
    ...(reports("resources") ? { resourcesListChanged: true } : {}),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: [...uris] }),
  };
}

/** The newer protocol puts it into the metadata. */
function readServerInfo({ serverInfo, _meta }: Params): Params {
  if (isRecord(serverInfo)) return serverInfo;
  const known = isRecord(_meta) ? _meta["io.modelcontextprotocol/serverInfo"] : null;
  return isRecord(known) ? known : {};
}

/** A tool that may not be used stays in the list as an empty entry, and is counted. */
function withValidHeaders(listed: ListedEntry): ListedEntry {
  const { entry } = listed;
  return isRecord(entry) && areHeadersValid(entry.inputSchema) ? listed : NO_TOOL;
}

const NO_TOOL: ListedEntry = { entry: null, text: "null" };
