import { randomBytes } from "node:crypto";
import { toClient } from "../../core/scene/client.ts";
import type { Crib, Profile, ViewOptions } from "../../runtime/crib/crib.ts";
import { MAIN } from "../../runtime/crib/profile.ts";
import type { PermissionRequest } from "../../runtime/permissions/permission-request.ts";
import { giveMemoryBack } from "../../system/give-memory-back.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import { askForApproval } from "./approval-form.ts";
import type { RunningCalls } from "./call-tool.ts";
import type { ServerInfo } from "./finish.ts";
import type { HttpReply } from "./http-reply.ts";
import type { Params } from "./json-rpc.ts";
import { createLegacyFront, type LegacyFront } from "./legacy-front.ts";
import type { GatewayLimits } from "./limits.ts";
import { ABANDONED, findLeaver } from "./make-room.ts";
import type { MethodPorts } from "./methods.ts";
import { createModernFront, type ModernFront } from "./modern-front.ts";
import { createPeerStates } from "./peer-states.ts";
import type { SuspendedCalls } from "./suspended-calls.ts";
import type { UnknownNames } from "./unknown-names.ts";
import { type Clash, createView, type View } from "./view.ts";

/** A client and what is known about it. */
interface Kept<F> {
  readonly front: F;
  /** What it is found by; for a session that is as good as a key to it, and not for showing. */
  readonly id: string;
  readonly shownAs: string;
  readonly profile: Profile;
  readonly label: string;
  readonly since: number;
  /** When it was last heard of. */
  seen: number;
  /** Streams and requests that are open now. */
  uses: number;
}

export type KeptLegacy = Kept<LegacyFront>;
export type KeptModern = Kept<ModernFront>;

/** All clients: older ones by their sessions, newer ones by who they are. Those that fall silent are let go. */
export interface Fronts {
  readonly all: readonly (KeptLegacy | KeptModern)[];
  /** Whether it listens, calls or was heard of a moment ago; one that left without a word is not. */
  isHere(kept: KeptLegacy | KeptModern): boolean;
  openLegacy(options: {
    readonly profile: Profile;
    readonly label: string;
    readonly version: string;
    readonly capabilities: Params;
  }): Promise<KeptLegacy>;
  findLegacy(id: string): KeptLegacy | undefined;
  /** Those that are known for the same are one, whatever they call themselves. */
  modern(profile: Profile, key: string, clientName: string | null): Promise<KeptModern>;
  /** Takes note that the client was heard of. */
  touch(kept: KeptLegacy | KeptModern): void;
  /** Keeps the client as long as something of it is open; returns how to say that it no longer is. */
  hold(kept: KeptLegacy | KeptModern): () => void;
  end(kept: KeptLegacy | KeptModern): Promise<void>;
  /** Replies that are open: told at every look around that their clients still wait. */
  readonly open: Set<Pick<HttpReply, "ping">>;
  changes(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface FrontsOptions extends MethodPorts {
  readonly crib: Crib;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  readonly server: ServerInfo;
  readonly capabilities: Params;
  readonly suspended: SuspendedCalls;
  readonly running: RunningCalls;
  readonly onClash: (clash: Clash) => void;
  readonly unknownNames: UnknownNames;
  readonly onError: (text: string, error: unknown) => void;
  /** Returns to the machine what clients that are gone have taken. */
  readonly giveBack?: () => void;
}

/**
 * Who somebody is: whoever has the same token, whatever it is called and allowed by now. The main one is known by its name
 * alone, which is another one for another token.
 */
export function identityOf({ key, principal }: Profile): string {
  return key === MAIN ? `${key}\n${principal}` : key;
}

/** How often clients are looked at: several times while one may be silent, and often enough to keep streams alive. */
const SWEEP = 25_000;

/** Clients that together leave enough behind to be worth a pause of some dozen milliseconds. */
const MANY = 64;

export function createFronts(options: FrontsOptions): Fronts {
  const { crib, clock, limits, running, giveBack = giveMemoryBack } = options;
  const peers = createPeerStates(clock);
  for (const source of crib.sources) peers.since(source);
  const legacy = new Map<string, KeptLegacy>();
  const modern = new Map<string, KeptModern>();
  const opening = new Map<string, Promise<KeptModern>>();
  const ending = new Set<Promise<void>>();
  const listeners = new Set<() => void>();
  const open: Fronts["open"] = new Set();
  /** Of clients that are about to be there. */
  const places = new Set<{ readonly owner: string }>();
  let timer: Timer | null = null;
  let last = 0;
  /** Clients that are gone since memory was last given back. */
  let gone = 0;
  let closed: Promise<void> | null = null;

  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const openView = async (
    profile: Profile,
    label: string,
    { isShared, clientName }: Required<Pick<ViewOptions, "isShared" | "clientName">>,
  ): Promise<View> => {
    if (closed !== null) throw new Error("the gateway is closed");
    // A call inside another one is its client's too.
    const exchangeOf = ({ toolCallId }: PermissionRequest) => running.byId.get(toolCallId.split(".")[0] ?? "");
    const lateness = { isLate: false };
    const session = await crib.openView({
      profile,
      label,
      client: null,
      ...{ isShared, clientName },
      isLate: () => lateness.isLate,
      async approve(request, signal) {
        const exchange = exchangeOf(request);
        return exchange === undefined ? null : askForApproval(exchange.client, request, signal);
      },
      onLeft: (request, listener) => exchangeOf(request)?.outlet?.onGone?.(listener) ?? (() => {}),
    });
    const view = await createView(session, { peers, clock, limits, onClash: options.onClash, lateness });
    options.unknownNames
      .watch(session, profile, () => view.isClosed)
      .catch((error: unknown) => options.onError(`the names that ${label} asked for could not be checked`, error));
    return view;
  };
  const keep = <F>(front: F, id: string, profile: Profile, label: string): Kept<F> => {
    last += 1;
    const kept = {
      front,
      id,
      shownAs: `client-${last}`,
      profile,
      label,
      since: Date.now(),
      seen: clock.now(),
      uses: 0,
    };
    timer ??= clock.setTimeout(sweep, interval);
    return kept;
  };
  const interval = Math.max(1, Math.min(SWEEP, limits.idle / 4));

  const isSilentFor = ({ seen, uses, front }: KeptLegacy | KeptModern, time: number): boolean =>
    uses === 0 && !front.isBusy && clock.now() - seen >= time;
  const isHere = (kept: KeptLegacy | KeptModern): boolean => !isSilentFor(kept, ABANDONED);
  let lastHere = 0;
  const sweep = (): void => {
    timer = null;
    for (const reply of [...open]) reply.ping();
    const quiet = Math.min(ABANDONED, limits.idle);
    const silent = [...legacy.values(), ...modern.values()].filter((kept) => isSilentFor(kept, quiet));
    silent.sort((a, b) => b.seen - a.seen);
    for (const [at, kept] of silent.entries())
      if (at >= limits.silentSessions || isSilentFor(kept, limits.idle)) void end(kept);
    const here = [...legacy.values(), ...modern.values()].filter(isHere).length;
    if (here !== lastHere) tell();
    lastHere = here;
    if (legacy.size + modern.size > 0 && closed === null) timer = clock.setTimeout(sweep, interval);
  };
  const end = (kept: KeptLegacy | KeptModern): Promise<void> => {
    const known = kept.front.era === "legacy" ? legacy.delete(kept.id) : modern.delete(kept.id);
    if (!known) return Promise.resolve();
    const { front } = kept;
    const work: Promise<void> = front
      .close()
      .catch((error: unknown) => options.onError(`${kept.label} could not be closed`, error))
      .finally(() => {
        ending.delete(work);
        gone += 1;
        if (ending.size === 0) tidy();
      });
    ending.add(work);
    tell();
    return work;
  };
  /** When nobody would notice the pause; else the next client that leaves brings it up again. */
  const tidy = (): void => {
    if (gone < MANY || closed !== null) return;
    for (const { front } of [...legacy.values(), ...modern.values()]) if (front.isBusy) return;
    gone = 0;
    giveBack();
  };
  /** Waits for nothing between looking and taking a place, or many that come at once would all find the same one. */
  const takePlace = (profile: Profile): (() => void) => {
    const owner = identityOf(profile);
    const here = [...legacy.values(), ...modern.values()].map((kept) => ({
      ...{ kept, owner: identityOf(kept.profile) },
      silence: isSilentFor(kept, 0) ? clock.now() - kept.seen : null,
    }));
    const coming = [...places].map((each) => ({ kept: null, owner: each.owner, silence: null }));
    const leaver = findLeaver([...here, ...coming], owner, limits);
    if (leaver?.kept) void end(leaver.kept);
    const place = { owner };
    places.add(place);
    return () => void places.delete(place);
  };
  const openModern = async (profile: Profile, key: string, clientName: string | null): Promise<KeptModern> => {
    const giveUpPlace = takePlace(profile);
    try {
      const view = await openView(profile, profile.principal, { isShared: true, clientName });
      const front = createModernFront({ ...options, view, owner: identityOf(profile) });
      const kept = keep(front, key, profile, profile.principal);
      modern.set(key, kept);
      tell();
      return kept;
    } finally {
      giveUpPlace();
    }
  };

  return {
    get all() {
      return [...legacy.values(), ...modern.values()];
    },
    isHere,
    async openLegacy({ profile, label, version, capabilities }) {
      const giveUpPlace = takePlace(profile);
      try {
        const view = await openView(profile, label, { isShared: false, clientName: label });
        const id = randomBytes(16).toString("hex");
        const kept = keep(createLegacyFront({ ...options, id, view, version, capabilities }), id, profile, label);
        legacy.set(id, kept);
        tell();
        return kept;
      } finally {
        giveUpPlace();
      }
    },
    findLegacy: (id) => legacy.get(id),
    async modern(profile, given, clientName) {
      const { row } = toClient(clientName, crib.config.gateway.knownClients);
      const key = `${given}\n${row ?? ""}`;
      const known = modern.get(key);
      if (known !== undefined) return known;
      const started = opening.get(key);
      if (started !== undefined) return started;
      const work = openModern(profile, key, row).finally(() => opening.delete(key));
      opening.set(key, work);
      return work;
    },
    touch(kept) {
      kept.seen = clock.now();
    },
    hold(kept) {
      let held = true;
      kept.uses += 1;
      return () => {
        if (!held) return;
        held = false;
        kept.uses -= 1;
        kept.seen = clock.now();
      };
    },
    end,
    open,
    changes(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      closed ??= (async () => {
        if (timer !== null) clock.clearTimeout(timer);
        await Promise.allSettled(opening.values());
        for (const kept of [...legacy.values(), ...modern.values()]) void end(kept);
        await Promise.all(ending);
        listeners.clear();
      })();
      return closed;
    },
  };
}
