import type { BackEnd } from "../../src/runtime/store/back-end.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { type GatewayWorld, openGateway, type WorldOptions } from "./world.ts";

/** One beat at the start and then none, so that a test says when a machine was last heard of. */
const LEASE = { beat: 3_600_000, lost: 3_600_000, takeOver: 60_000 };

/** Machines in front of the same clients: each has a process's worth of everything, and all share one store. */
export function createCluster(config: object, options: WorldOptions = {}) {
  const tables = createMemoryTables();
  const machines = new Map<string, { isDeaf: boolean }>();
  /** Has others think that a machine ended, so long ago: it goes on, as one that was stopped for a while. */
  const silence = ({ store: { machine: id } }: { readonly store: Store }, milliseconds = 120_000): void => {
    const found = tables.machines.get(id);
    if (found !== undefined) tables.machines.set(id, { ...found, seen: Date.now() - milliseconds });
  };
  return {
    tables,
    silence,
    /** Ends a machine abruptly: nobody hears of it, and it hears of nothing. */
    kill(machine: { readonly store: Store }, milliseconds?: number): void {
      silence(machine, milliseconds);
      const killed = machines.get(machine.store.machine);
      if (killed !== undefined) killed.isDeaf = true;
    },
    async start(more: Partial<{ store: (store: Store) => Store }> = {}): Promise<GatewayWorld & { store: Store }> {
      const machine = { isDeaf: false };
      const opened = createStore(whileHearing(createMemoryBackEnd(tables), machine), { lease: LEASE });
      machines.set(opened.machine, machine);
      const store = more.store?.(opened) ?? opened;
      const shared = { store, scope: "test" };
      const world = await openGateway(config, {
        ...options,
        crib: { ...options.crib, shared },
        gateway: { ...options.gateway, shared },
      });
      return { ...world, store };
    },
  };
}

/** A machine that was killed finds no answer by looking either: its first look may come after its end. */
function whileHearing(backEnd: BackEnd, machine: { readonly isDeaf: boolean }): BackEnd {
  const { bell } = backEnd;
  return {
    ...backEnd,
    bell: bell && { ...bell, listen: (heard) => bell.listen((ids) => machine.isDeaf || heard(ids)) },
    answers: async (ids) => (machine.isDeaf ? new Map() : backEnd.answers(ids)),
    messages: async (wanted) => (machine.isDeaf ? [] : backEnd.messages(wanted)),
  };
}

/** A client of the older protocol that sends each message wherever a test wants. */
export function createWanderer(token = "t") {
  let session: string | null = null;
  let last = 0;
  const headers = (): Record<string, string> => ({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
    ...(session === null ? {} : { "mcp-session-id": session }),
  });
  const send = (url: string, message: object): Promise<Response> =>
    fetch(url, { method: "POST", headers: headers(), body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const client = {
    get session() {
      return session;
    },
    headers,
    send,
    /** The answer of one request, in whichever form it comes. */
    async request(url: string, method: string, params: object = {}): Promise<Answered> {
      last += 1;
      const id = last;
      const response = await send(url, { id, method, params });
      session = response.headers.get("mcp-session-id") ?? session;
      const text = await response.text();
      const isStream = response.headers.get("content-type")?.includes("event-stream") === true;
      const found = isStream ? readEvents(text).find((event) => event.message?.id === id)?.message : JSON.parse(text);
      return { status: response.status, ...found };
    },
    async initialize(url: string, capabilities: object = {}, version = "2025-11-25"): Promise<void> {
      const clientInfo = { name: "wanderer", version: "1" };
      await client.request(url, "initialize", { protocolVersion: version, capabilities, clientInfo });
      await send(url, { method: "notifications/initialized" });
    },
    open: (url: string, lastEventId?: string): Promise<Response> =>
      fetch(url, {
        headers: { ...headers(), ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) },
      }),
    end: (url: string): Promise<Response> => fetch(url, { method: "DELETE", headers: headers() }),
  };
  return client;
}

/** A call of the newer protocol by a client that can be asked, sent wherever a test wants; `more` is what it comes back with. */
export async function callModern(url: string, { token = "t", name, args = {} }: ModernCall, more: object = {}) {
  const version = "2026-07-28";
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...createWanderer(token).headers(),
      ...{ "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": name },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: {
        ...{ name, arguments: args, ...more },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientInfo": { name: "w", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, sampling: {} },
        },
      },
    }),
  });
  return JSON.parse(await response.text());
}

interface ModernCall {
  readonly token?: string;
  readonly name: string;
  readonly args?: object;
}

export interface Answered {
  readonly status: number;
  readonly id?: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server answers, for assertions.
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface StreamEvent {
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a server sends, for assertions.
  readonly message: any;
}

function readEvents(text: string): readonly StreamEvent[] {
  return text.split("\n\n").flatMap((block) => {
    const field = (name: string): string | null =>
      block
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2) ?? null;
    const data = field("data");
    if (data === null && field("id") === null) return [];
    return [{ id: field("id"), message: data === null || data === "" ? null : JSON.parse(data) }];
  });
}

/** Reads a stream event by event, until it ends. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield* readEvents(`${block}\n\n`);
  }
}

export async function firstOf(response: Response): Promise<StreamEvent> {
  for await (const event of eventsOf(response)) return event;
  throw new Error("the stream ended with nothing in it");
}

export async function lastOf(response: Response): Promise<StreamEvent | undefined> {
  let last: StreamEvent | undefined;
  for await (const event of eventsOf(response)) last = event;
  return last;
}
