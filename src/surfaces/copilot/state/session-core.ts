import type { SurfaceSession } from "../../../runtime/session/program-session.ts";
import { onAbort } from "../../../system/time/until-aborted.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import { type ClientOptions, type ClientTool, readOptions } from "../wire/client-options.ts";
import { isJson, type Json, textOf } from "../wire/wire-values.ts";
import type { RuntimeState } from "./runtime-state.ts";

/** What one connection brings to a session. */
export interface AttachedClient {
  readonly connection: ClientConnection;
  tools: readonly ClientTool[];
  readonly commands: ClientOptions["commands"];
  readonly hooks: boolean;
  readonly userInput: boolean;
  readonly elicitation: boolean;
  readonly exitPlan: boolean;
  readonly autoSwitch: boolean;
  /** Has skills of its own. */
  readonly skills: boolean;
  /** Has a handler that says what may run, or answers such questions otherwise. */
  decides: boolean;
  /** Gets permission requests. */
  permissions: boolean;
}

/** Something that a client has to answer. */
export interface OpenQuestion {
  readonly kind: "permission" | "elicitation" | "command" | "oauth";
  readonly asked: Json;
  readonly answer: (result: Json) => void;
}

/** One kind of event that a client wants to be asked by. */
interface Interest {
  readonly connection: ClientConnection;
  readonly eventType: string;
}

/** What every part of a session needs: who it is, who is attached, what they want, what they are asked. */
export interface SessionCore {
  readonly id: string;
  readonly server: RuntimeState;
  readonly startTime: number;
  /** Toolcrib's own; another one after it was opened in another folder. */
  session: SurfaceSession;
  readonly clients: Map<ClientConnection, AttachedClient>;
  /** The options as clients gave them, the later over the earlier. */
  given: Json;
  readonly options: ClientOptions;
  cwd: string;
  mode: string;
  name: string | null;
  /** Somebody chose the name. */
  nameIsOwn: boolean;
  /** Something was said in it, or a client wants it stored: lists have it. */
  isListed: boolean;
  /** The message that the run answers. */
  current: string | null;
  /** A client aborted the run, and it has not ended yet. */
  isAborting: boolean;
  closing: Promise<void> | null;
  readonly questions: Map<string, OpenQuestion>;
  /** Requests that clients have not answered. */
  readonly asks: Map<AbortController, ClientConnection>;
  readonly interests: Map<string, Interest>;
  /** A client asked for something, or something happened. */
  noteUse: () => void;
}

export function newCore(server: RuntimeState, id: string, first: Json, cwd: string, startTime: number): SessionCore {
  let session: SurfaceSession | null = null;
  let given = first;
  let options = readOptions(first);
  return {
    ...{ id, server, startTime, cwd, mode: "interactive", name: options.name ?? null },
    ...{ clients: new Map(), questions: new Map(), asks: new Map(), interests: new Map() },
    ...{ nameIsOwn: false, isListed: false, current: null, isAborting: false, closing: null, noteUse: () => {} },
    get session() {
      if (session === null) throw new Error(`session ${id} is not open yet`);
      return session;
    },
    set session(next) {
      session = next;
    },
    get given() {
      return given;
    },
    set given(next) {
      given = next;
      options = readOptions(next);
    },
    get options() {
      return options;
    },
  };
}

/** Changes some options and keeps the others. */
export function setOptions(core: SessionCore, changes: { readonly [Name in keyof ClientOptions]?: unknown }): void {
  core.given = { ...core.given, ...changes };
}

/** Emits an event to all clients, in order with what else happens. */
export function emit(
  { session }: SessionCore,
  type: string,
  data: Json,
  options: { ephemeral?: boolean; agent?: string } = {},
): void {
  session.note(type, data, options);
}

/** The same for an event that is not stored. */
export function emitPassing(core: SessionCore, type: string, data: Json): void {
  emit(core, type, data, { ephemeral: true });
}

/**
 * Asks a client on behalf of a session. There is no limit of time, so it rejects as soon as nobody needs the answer: after an
 * abort, once the client has left the session, and when the session ends.
 */
export async function askClient(
  { id, asks, closing, isAborting }: SessionCore,
  connection: ClientConnection,
  method: string,
  params: Json,
  signal?: AbortSignal,
): Promise<unknown> {
  if (closing !== null || isAborting) throw new Error("nobody waits for the answer any more");
  const stop = new AbortController();
  const release = signal && onAbort(signal, () => stop.abort());
  asks.set(stop, connection);
  try {
    return await connection.request(method, { sessionId: id, ...params }, stop.signal);
  } finally {
    release?.();
    asks.delete(stop);
  }
}

/** Gives up what a client still has to answer; all clients if none is named. */
export function stopAsking({ asks }: SessionCore, connection: ClientConnection | null = null): void {
  for (const [stop, asked] of [...asks]) if (connection === null || asked === connection) stop.abort();
}

/** Emits a question to all clients and waits for the first answer, or for `abort` once nobody needs it. */
export async function askAll(
  core: SessionCore,
  kind: OpenQuestion["kind"],
  requestId: string,
  asked: Json,
  send: () => void,
  aborted: { readonly signal?: AbortSignal | undefined; readonly answer: Json } = { answer: {} },
): Promise<Json> {
  try {
    return await new Promise<Json>((resolve) => {
      core.questions.set(requestId, { kind, asked, answer: resolve });
      aborted.signal?.addEventListener("abort", () => resolve(aborted.answer), { once: true });
      send();
    });
  } finally {
    core.questions.delete(requestId);
  }
}

export function registerInterest(core: SessionCore, connection: ClientConnection, eventType: unknown): string {
  const handle = core.server.around.newId();
  core.interests.set(handle, { connection, eventType: textOf(eventType) ?? "" });
  return handle;
}

/** Whether a client that is still there wants to be asked by such events. */
export function isAwaited({ interests, clients }: SessionCore, eventType: string): boolean {
  return [...interests.values()].some((one) => one.eventType === eventType && clients.has(one.connection));
}

export function hasHooks({ clients }: SessionCore): boolean {
  return [...clients.values()].some(({ hooks }) => hooks);
}

/** Asks every client that has hooks, and takes what the last of them says over what the earlier ones said. */
export async function invokeHook(
  core: SessionCore,
  hookType: string,
  input: Json,
  agentId?: string,
  signal?: AbortSignal,
): Promise<Json> {
  let said: Json = {};
  for (const { connection, hooks } of core.clients.values()) {
    if (!hooks) continue;
    const about = { sessionId: agentId ?? core.id, timestamp: Date.now(), cwd: core.cwd };
    try {
      const asked = { hookType, input: { ...about, ...input } };
      const answer = await askClient(core, connection, "hooks.invoke", asked, signal);
      const output = isJson(answer) ? answer.output : undefined;
      if (isJson(output)) said = { ...said, ...output };
    } catch {
      // A hook that fails says nothing, as in the SDK itself.
    }
  }
  return said;
}
