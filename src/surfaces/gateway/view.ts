import type { OpenSession } from "../../runtime/session/session.ts";
import type { SessionCalls } from "../../runtime/session/session-calls.ts";
import type { PeerClient } from "../../sources/peer.ts";
import type { Source, SourceState } from "../../sources/source.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { Params } from "./json-rpc.ts";
import type { GatewayLimits } from "./limits.ts";
import { buildOffer, type Offer } from "./offer.ts";
import { openServers, type PeerServer } from "./peer-servers.ts";
import type { PeerStates } from "./peer-states.ts";

/** Something that clients of a view may want to know. */
export type ViewEvent =
  | { readonly kind: "tools" }
  /** A server came within reach. */
  | { readonly kind: "opened"; readonly server: PeerServer }
  | { readonly kind: "told"; readonly server: PeerServer; readonly method: string; readonly params: Params };

/** An address that two servers have; only one of them gets to answer for it. */
export interface Clash {
  readonly uri: string;
  readonly kept: string;
  readonly dropped: string;
}

/** One session of tools and whatever else its servers have, for one client or for several that are alike. */
export interface View {
  readonly session: OpenSession;
  readonly calls: SessionCalls;
  readonly peers: PeerStates;
  /** What is offered now; the same object while nothing changed. */
  offer(): Offer;
  /** The servers whose prompts and resources this view may have. */
  servers(): readonly PeerServer[];
  /** Waits a while for servers that are just starting: for all of them, or, for a list, only as long as that is of use. */
  settled(what: "list" | "all"): Promise<void>;
  /** The same for prompts and resources, for which no list of an earlier start stands in. */
  connected(what: "list" | "all"): Promise<void>;
  /** The servers whose tools this view would have, and why they are not there. */
  missing(): readonly MissingServer[];
  /** Who can be asked at any time, by servers that nobody else uses; nobody until this was said. */
  asked: PeerClient | null;
  on(listener: (event: ViewEvent) => void): () => void;
  /** Takes note that two servers have the same address. */
  onClash(clash: Clash): void;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

export interface ViewPorts {
  readonly peers: PeerStates;
  readonly clock: Clock;
  readonly limits: Pick<GatewayLimits, "patience" | "listPatience">;
  readonly onClash: (clash: Clash) => void;
  /** Where it is noted that a client was shown a list that lacks servers, and will not ask again. */
  readonly lateness?: { isLate: boolean };
}

/** A server whose tools are not there. */
interface MissingServer {
  readonly server: string;
  readonly state: SourceState;
  readonly reason: string | null;
}

const MISSING: ReadonlySet<SourceState> = new Set(["starting", "failed", "needs-auth"]);

export async function createView(session: OpenSession, ports: ViewPorts): Promise<View> {
  const { peers, clock, limits, onClash, lateness = { isLate: false } } = ports;
  const calls = await session.calls();
  const listeners = new Set<(event: ViewEvent) => void>();
  const attached = new Map<PeerServer["peer"], () => void>();
  let offer: Offer | null = null;
  let shortened: string | null = null;
  let servers: { readonly of: unknown; readonly open: readonly PeerServer[] } | null = null;
  let closed: Promise<void> | null = null;

  const tell = (event: ViewEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  /** Takes its place also while it cannot be asked, so that a server that several use is known to be shared. */
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
  /** Listens to the servers that are open now, and to no others. */
  const follow = (open: readonly PeerServer[]): void => {
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
  /** Milliseconds; none when nobody is waited for. */
  const patienceLeft = (what: "list" | "all", asked: number, isAwaited: (source: Source) => boolean): number => {
    const starting = session.sources.filter(isAwaited);
    if (starting.length === 0) return 0;
    if (what === "all") return asked + limits.patience - clock.now();
    return Math.max(...starting.map((source) => peers.since(source) + limits.listPatience - clock.now()));
  };
  /** Waits for the servers, but no longer than until there are other tools than before. */
  const areAllThere = async (patience: number): Promise<boolean> => {
    const controller = new AbortController();
    const timer = clock.setTimeout(() => controller.abort(), patience);
    const stop = session.on("session.tools_updated", () => controller.abort());
    await session.settled(controller.signal);
    stop();
    clock.clearTimeout(timer);
    return !controller.signal.aborted;
  };
  const stopTools = session.on("session.tools_updated", () => {
    // Which servers are open follows from the tools.
    view.servers();
    tell({ kind: "tools" });
  });

  const view: View = {
    session,
    calls,
    peers,
    asked: null,
    offer() {
      const { toolset } = session;
      const short = session.config.gateway.unprefixed?.value ?? null;
      if (offer === null || offer.request.toolset !== toolset || shortened !== short) {
        shortened = short;
        offer = buildOffer(session.request(), short);
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
    async settled(what) {
      const asked = clock.now();
      for (;;) {
        const left = patienceLeft(what, asked, isUnlisted);
        if (left <= 0 || (await areAllThere(left))) break;
      }
      // From then on it finds and calls what comes later through tools that it was shown.
      const isDeaf = session.toolset.scene.client?.listChanged === false;
      if (what === "all" || lateness.isLate || !isDeaf || !session.sources.some(isUnlisted)) return;
      lateness.isLate = true;
      session.renewScene();
    },
    async connected(what) {
      const asked = clock.now();
      await view.settled(what);
      const deadline = clock.now() + patienceLeft(what, asked, isStarting);
      await Promise.all(session.sources.map((source) => untilStarted(source, clock, deadline)));
    },
    missing() {
      const { sources, toolset } = session;
      if (!sources.some(isMissing)) return [];
      const named = new Set(toolset.notices.flatMap(({ code, names }) => (code === "filter.pending" ? names : [])));
      for (const { name } of view.servers()) named.add(name);
      return sources
        .filter((source) => isMissing(source) && named.has(source.name))
        .map(({ name, status: { state, reason } }) => ({ server: name, state, reason }));
    },
    on(listener) {
      const own = (event: ViewEvent): void => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    onClash,
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
  view.servers();
  return view;
}

function isMissing({ status }: Source): boolean {
  return MISSING.has(status.state) && status.isStandIn !== true;
}

/** Nobody knows yet what it will list. */
function isUnlisted(source: Source): boolean {
  return isStarting(source) && source.status.isStandIn !== true;
}

function isStarting({ status }: Source): boolean {
  return status.state === "starting";
}

async function untilStarted(source: Source, clock: Clock, deadline: number): Promise<void> {
  const patience = deadline - clock.now();
  if (!isStarting(source) || patience <= 0) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stop();
      clock.clearTimeout(timer);
      resolve();
    };
    const timer = clock.setTimeout(end, patience);
    const stop = source.changes(() => {
      if (!isStarting(source)) end();
    });
  });
}
