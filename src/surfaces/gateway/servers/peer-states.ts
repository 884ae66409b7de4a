import type { McpPeer } from "../../../sources/peer.ts";
import type { Source } from "../../../sources/source.ts";
import type { Clock, Timer } from "../../../system/time/clock.ts";
import { isObject, type Params } from "../wire/json-rpc.ts";
import { LOG_LEVELS, type LogLevel } from "../wire/protocol.ts";
import { toListedItem } from "./listed-item.ts";
import { type PeerServer, peerOf } from "./peer-servers.ts";

const LISTS = {
  prompts: { method: "prompts/list", field: "prompts", key: "name", capability: "prompts" },
  resources: { method: "resources/list", field: "resources", key: "uri", capability: "resources" },
  templates: {
    method: "resources/templates/list",
    field: "resourceTemplates",
    key: "uriTemplate",
    capability: "resources",
  },
} as const;
type ListKind = keyof typeof LISTS;

/** What the gateway knows about servers that several clients share: their lists, their log levels, their users. */
export interface PeerStates {
  /** A server's list, all pages; its last list if it cannot be asked, so that only its own part is affected. */
  list(server: PeerServer, kind: ListKind): Promise<readonly Params[]>;
  /** Lets the server log at least this much; each client gets what it asked for. */
  setLevel(server: PeerServer, level: LogLevel, signal: AbortSignal): Promise<void>;
  /** Records that a client uses the server; returns how to undo that. */
  attach(server: PeerServer, who: object): () => void;
  /** Records that a client uses it that rests; returns how to undo that. */
  reserve(peer: McpPeer, who: object): () => void;
  /** Whether only one client uses the server. */
  isAlone(server: PeerServer): boolean;
  /** When a source was first seen, which is about when it started. */
  since(source: Source): number;
}

interface PeerState {
  readonly lists: Map<ListKind, { readonly items: readonly Params[]; isFresh: boolean }>;
  readonly loading: Map<ListKind, Promise<readonly Params[]>>;
  /** Lists that were late, which get less time until one is on time. */
  readonly late: Set<ListKind>;
  readonly users: Set<object>;
  level: LogLevel | null;
  era: McpPeer["era"];
}

const MOST_PAGES = 100;
const MOST_ITEMS = 10_000;
/** Milliseconds for one server's list, and for a list of one that was late before. */
const PATIENCE = 10_000;
const HASTE = 500;

export function createPeerStates(clock: Clock): PeerStates {
  const states = new WeakMap<McpPeer, PeerState>();
  const seen = new WeakMap<object, number>();

  const stateOf = ({ peer }: PeerServer): PeerState => {
    const known = states.get(peer);
    if (known !== undefined) return known;
    const state: PeerState = {
      ...{ lists: new Map(), loading: new Map(), late: new Set(), users: new Set() },
      ...{ level: null, era: peer.era },
    };
    states.set(peer, state);
    // Ends with the peer itself.
    peer.onNotification((method) => {
      if (method === "notifications/prompts/list_changed") age(state, "prompts");
      if (method === "notifications/resources/list_changed") age(state, "resources", "templates");
    });
    return state;
  };

  const start = (server: PeerServer, kind: ListKind, state: PeerState): Promise<readonly Params[]> => {
    const work = withPatience(
      clock,
      (signal) => load(server, kind, signal),
      () => state.late.add(kind),
    )
      .then((items) => {
        state.late.delete(kind);
        state.lists.set(kind, { items, isFresh: true });
        return items;
      })
      .catch(() => state.lists.get(kind)?.items ?? [])
      .finally(() => state.loading.delete(kind));
    state.loading.set(kind, work);
    return work;
  };

  return {
    async list(server, kind) {
      const state = stateOf(server);
      const capability = server.peer.capabilities[LISTS[kind].capability];
      if (!isObject(capability)) return [];
      const known = state.lists.get(kind);
      // Only a server that reports changes can be trusted not to have changed.
      if (known?.isFresh === true && capability.listChanged === true) return known.items;
      const work = state.loading.get(kind) ?? start(server, kind, state);
      return state.late.has(kind) ? withHaste(clock, work, known?.items ?? []) : work;
    },
    async setLevel(server, level, signal) {
      const state = stateOf(server);
      if (!isObject(server.peer.capabilities.logging) || server.peer.era !== "legacy") return;
      if (state.level !== null && LOG_LEVELS.indexOf(state.level) <= LOG_LEVELS.indexOf(level)) return;
      state.level = level;
      await server.peer.request("logging/setLevel", { level }, { signal, client: null });
    },
    attach(server, who) {
      const state = stateOf(server);
      const leave = join(state.users, who);
      const stop = server.source.changes(() => look(server.peer, state));
      return () => {
        stop();
        leave();
      };
    },
    reserve: (peer, who) => join(states.get(peer)?.users ?? new Set(), who),
    isAlone: (server) => stateOf(server).users.size <= 1,
    since(source) {
      // Clients hold different leases of a shared source, but its server is the same.
      const key = peerOf(source) ?? source;
      const known = seen.get(key) ?? clock.now();
      seen.set(key, known);
      return known;
    },
  };
}

function join(users: Set<object>, who: object): () => void {
  users.add(who);
  return () => void users.delete(who);
}

/** The first to learn that the server was gone and is back. */
function look({ era }: McpPeer, state: PeerState): void {
  if (state.era === null && era !== null) age(state, "prompts", "resources", "templates");
  state.era = era;
}

/** Page by page. */
async function load(server: PeerServer, kind: ListKind, signal: AbortSignal): Promise<readonly Params[]> {
  const { method, field, key } = LISTS[kind];
  const items: Params[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await server.peer.request(method, params, { signal, client: null });
    if (answer.kind === "error") throw new Error(answer.message);
    const found = answer.result[field];
    for (const item of Array.isArray(found) ? found : []) {
      const listed = toListedItem(item, key);
      if (listed !== null) items.push(listed);
    }
    const next = answer.result.nextCursor;
    if (typeof next !== "string" || next === cursor || items.length >= MOST_ITEMS) break;
    cursor = next;
  }
  return items.slice(0, MOST_ITEMS);
}

async function withPatience<T>(
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: () => void,
): Promise<T> {
  const controller = new AbortController();
  const timer = clock.setTimeout(() => {
    onLate();
    controller.abort();
  }, PATIENCE);
  try {
    return await work(controller.signal);
  } finally {
    clock.clearTimeout(timer);
  }
}

/** The result if it is ready in time, else what is known; the work itself continues. */
async function withHaste<T>(clock: Clock, work: Promise<T>, known: T): Promise<T> {
  let timer: Timer = null;
  const late = new Promise<T>((resolve) => {
    timer = clock.setTimeout(() => resolve(known), HASTE);
  });
  return Promise.race([work, late]).finally(() => clock.clearTimeout(timer));
}

function age({ lists }: PeerState, ...kinds: readonly ListKind[]): void {
  for (const kind of kinds) {
    const list = lists.get(kind);
    if (list !== undefined) list.isFresh = false;
  }
}
