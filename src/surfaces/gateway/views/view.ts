import type { SessionCalls } from "../../../runtime/session/calls/session-calls.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { askLoginOf } from "../../../sources/login-port.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { PeerClient } from "../../../sources/peer.ts";
import type { Source, SourceState } from "../../../sources/source.ts";
import { openServers, type PeerServer } from "../servers/peer-servers.ts";
import type { PeerStates } from "../servers/peer-states.ts";
import { createServerWait, isMissing, type ServerWait, type ServerWaitPorts } from "../servers/server-wait.ts";
import { buildOffer, type Offer } from "../tools/offer.ts";
import type { Params } from "../wire/json-rpc.ts";
import type { LogLevel } from "../wire/protocol.ts";

/** Something that clients of a view may want to know. */
export type ViewEvent =
  | { readonly kind: "tools" }
  /** A server became available. */
  | { readonly kind: "opened"; readonly server: PeerServer }
  | { readonly kind: "told"; readonly server: PeerServer; readonly method: string; readonly params: Params };

/** An address that two servers have; only one of them answers for it. */
export interface Clash {
  readonly uri: string;
  readonly answering: string;
  readonly dropped: string;
}

/** One session with the prompts and resources of its servers, for one client or for several that are alike. */
export interface View extends ServerWait {
  readonly session: OpenSession;
  readonly calls: SessionCalls;
  readonly peers: PeerStates;
  /** The current offer; the same object while nothing changed. */
  offer(): Offer;
  /** The servers whose prompts and resources this view may have. */
  servers(): readonly PeerServer[];
  /** The servers whose tools this view would have, and why they are missing. */
  missing(): readonly MissingServer[];
  /** Lets all servers log at least this much. A server that is unreachable now is told when it is back. */
  setLevel(level: LogLevel): void;
  /** The client that can be asked at any time, by servers that nobody else uses; null until it is known. */
  asked: PeerClient | null;
  on(listener: (event: ViewEvent) => void): () => void;
  /** Records that two servers have the same address. */
  onClash(clash: Clash): void;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

export interface ViewPorts extends ServerWaitPorts {
  readonly onClash: (clash: Clash) => void;
  /** Whether the configuration as it is written now cannot be used. */
  readonly isRefused?: () => boolean;
}

/** A server whose tools are not there. */
interface MissingServer {
  readonly server: string;
  readonly state: SourceState;
  readonly reason: string | null;
}

/** What is wrong with the files is for their owner: a client need not be allowed to read them. */
const REFUSED: MissingServer = {
  server: "toolcrib",
  state: "stale",
  reason: 'its configuration was changed and cannot be used, so the previous one stays; "toolcrib status" says why',
};

/** Milliseconds for setting a server's log level. */
const LEVEL_PATIENCE = 10_000;

export async function createView(session: OpenSession, ports: ViewPorts): Promise<View> {
  const { peers, onClash } = ports;
  const calls = await session.calls();
  const listeners = createChangeListeners<ViewEvent>();
  const { settled, connected } = createServerWait(session, ports);
  let offer: Offer | null = null;
  let [shortened, loginless]: [string | null, string] = [null, ""];
  let servers: { readonly of: unknown; readonly open: readonly PeerServer[] } | null = null;
  let closed: Promise<void> | null = null;

  const view: View = {
    ...{ session, calls, peers, asked: null, settled, connected, onClash, on: listeners.add },
    offer() {
      const { toolset } = session;
      const short = session.config.gateway.unprefixed?.value ?? null;
      const wanting = findLoginless(session.sources, view.missing);
      const named = wanting.join();
      if (offer === null || offer.request.toolset !== toolset || shortened !== short || loginless !== named) {
        [shortened, loginless] = [short, named];
        offer = buildOffer(session.request(), short, wanting);
      }
      return offer;
    },
    servers() {
      const { toolset } = session;
      if (servers?.of !== toolset && closed === null) {
        servers = { of: toolset, open: openServers(session) };
        follow(servers.open);
      }
      return servers?.open ?? [];
    },
    missing() {
      const { sources, toolset } = session;
      const refused = ports.isRefused?.() === true ? [REFUSED] : [];
      if (!sources.some(isMissing)) return refused;
      const named = new Set(toolset.notices.flatMap(({ code, names }) => (code === "filter.pending" ? names : [])));
      for (const { name } of view.servers()) named.add(name);
      const missing = sources
        .filter((source) => isMissing(source) && named.has(source.name))
        .map(({ name, status: { state, reason } }) => ({ server: name, state, reason }));
      return [...refused, ...missing];
    },
    setLevel(level) {
      for (const server of view.servers())
        void peers.setLevel(server, level, AbortSignal.timeout(LEVEL_PATIENCE)).catch(() => {});
    },
    get isClosed() {
      return closed !== null;
    },
    close() {
      closed ??= (async () => {
        stopTools();
        listeners.clear();
        follow([]);
        await session.close();
      })();
      return closed;
    },
  };
  const follow = followServers(view, listeners.emit);
  const stopTools = session.on("session.tools_updated", () => {
    // Which servers are open follows from the tools.
    view.servers();
    listeners.emit({ kind: "tools" });
  });
  view.servers();
  return view;
}

const NONE: readonly string[] = [];

/** The servers that list nothing before the person has logged in there. */
function findLoginless(sources: readonly Source[], missing: View["missing"]): readonly string[] {
  const wanting = sources.filter(
    (source) => askLoginOf(source) !== null && source.status.state === "needs-auth" && isMissing(source),
  );
  if (wanting.length === 0) return NONE;
  const named = new Set(missing().map(({ server }) => server));
  return wanting.map(({ name }) => name).filter((name) => named.has(name));
}

/** Listens to the servers that it is called with, and to no others. */
function followServers(view: View, tell: (event: ViewEvent) => void): (open: readonly PeerServer[]) => void {
  const { session, peers } = view;
  const attached = new Map<PeerServer["peer"], () => void>();
  /** Attached even while it cannot be asked, so that a server with several users is known to be shared. */
  const standing: PeerClient = {
    id: session.id,
    get capabilities() {
      return view.asked?.capabilities ?? {};
    },
    ask: async (...given) => view.asked?.ask(...given) ?? new Map(),
    notify: (...given) => view.asked?.notify(...given),
  };
  const attach = (server: PeerServer): (() => void) => {
    const leave = peers.attach(server, session);
    const detach = server.peer.attach(standing);
    const stop = server.peer.onNotification((method, params) => {
      if (view.servers().some(({ peer }) => peer === server.peer)) tell({ kind: "told", server, method, params });
    });
    return () => {
      leave();
      detach();
      stop();
    };
  };
  return (open) => {
    const wanted = new Set(open.map(({ peer }) => peer));
    for (const [peer, stop] of attached) {
      if (wanted.has(peer)) continue;
      attached.delete(peer);
      stop();
    }
    for (const server of open) {
      if (attached.has(server.peer)) continue;
      attached.set(server.peer, attach(server));
      tell({ kind: "opened", server });
    }
  };
}
