import { createHash } from "node:crypto";
import { personKey } from "../../../core/people/person.ts";
import { toCanonicalJson } from "../../../core/tool/canonical-json.ts";
import type { Crib, Profile } from "../../../runtime/crib/crib.ts";
import { renewProfile } from "../../../runtime/crib/profile.ts";
import type { McpPeer } from "../../../sources/peer.ts";
import { GIVES_IN_STEPS } from "../../../system/give-memory-back.ts";
import type { Clock, Timer } from "../../../system/time/clock.ts";
import { keepNobodyAwake } from "../../../system/time/keep-nobody-awake.ts";
import { openServers } from "../servers/peer-servers.ts";
import { writeNotification } from "../wire/json-rpc.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import type { LegacySession } from "./legacy-session.ts";

/** A client that may rest. */
interface Resting {
  readonly front: LegacySession;
  readonly profile: Profile;
  readonly clientName: string | null;
}

/** Who of many clients rests, and that nobody who rests misses a change. */
export interface RestingClients<C extends Resting> {
  /** It was used just now, or is new. */
  used(client: C): void;
  /** Some client asked for something. */
  asked(): void;
  left(client: C): void;
  close(): void;
}

export interface RestingOptions {
  readonly crib: Pick<Crib, "main" | "changes" | "config" | "loginChanges">;
  readonly clock: Clock;
  /** How many are held whole. */
  readonly limits: Pick<GatewayLimits, "whole">;
  /** Returns memory to the machine, once many have gone to rest or asked. */
  readonly giveBack: () => void;
  readonly onError: (text: string, error: unknown) => void;
}

/** How many that cannot rest now are passed over before the next use. */
const PASSED_OVER = 8;
/** How many that went to rest, or requests, leave enough behind to be worth some dozen milliseconds, and when those disturb least. */
const MANY = 64;
const MANY_REQUESTS = 5_000;
const QUIET = 2_000;
/** Milliseconds that changes of tools are collected for, before those who rest are told. */
const COLLECTED = 500;
/** How many times as long as one look the next one waits: those who are awake come first. */
const OTHERS_FIRST = 3;
const LISTS = ["notifications/prompts/list_changed", "notifications/resources/list_changed"];

export function createRestingClients<C extends Resting>(options: RestingOptions): RestingClients<C> {
  const { crib, clock, limits, onError } = options;
  let timer: Timer = null;
  const tidying = createTidying(options);
  const turns = createTurns<C>(limits, () => tidying.note(1 / MANY));
  const { resting } = turns;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;
  const toldNobody = (error: unknown): void => onError("clients at rest could not be told of other tools", error);

  const used = (client: C): void => {
    if (!isClosed) turns.used(client);
  };
  /** What one is shown, all get that are narrowed alike; so one of them looks for all. */
  const look = async (): Promise<void> => {
    for (const group of groupsOf(resting, crib)) {
      // Some have left or woken while others were looked for.
      const [first, ...others] = group.filter((client) => resting.has(client));
      if (isClosed) return;
      if (first === undefined) continue;
      const before = clock.now();
      used(first);
      await lookForAll(first, others).catch(toldNobody);
      await pause(clock, OTHERS_FIRST * (clock.now() - before));
    }
  };
  const soon = (): void => {
    if (timer !== null || isClosed || resting.size === 0) return;
    timer = clock.setTimeout(() => {
      timer = null;
      looking = looking.then(look);
    }, COLLECTED);
    keepNobodyAwake(timer);
  };
  const tellAll = (method: string): void => {
    if (LISTS.includes(method)) for (const { front } of resting) front.streams.send(writeNotification(method, {}));
  };
  /** Their own servers list other tools from then on, which nobody else can look for. */
  const lookFor = (person: string): void => {
    for (const client of [...resting]) {
      const { caller } = client.profile;
      if (caller === null || personKey(caller) !== person) continue;
      used(client);
      client.front.lookAgain().catch(toldNobody);
    }
  };
  const servers = followServers(crib.main, tellAll);
  let { config } = crib;
  const stops = [
    crib.loginChanges(lookFor),
    crib.changes(() => {
      if (crib.config === config) return;
      config = crib.config;
      soon();
    }),
    crib.main.on("session.tools_updated", () => {
      servers.look();
      soon();
    }),
  ];
  return {
    used,
    asked: GIVES_IN_STEPS ? () => tidying.note(1 / MANY_REQUESTS) : () => {},
    left: turns.left,
    close() {
      isClosed = true;
      if (timer !== null) clock.clearTimeout(timer);
      for (const stop of [...stops, servers.stop, tidying.stop]) stop();
    },
  };
}

/** Which are awake, and which rest for them. */
function createTurns<C extends Resting>(limits: RestingOptions["limits"], onRest: () => void) {
  /** The one that was used last is the last. */
  const awake = new Set<C>();
  const resting = new Set<C>();
  /** The one that is known to be the last of those awake: most requests come from the client that sent the one before. */
  let last: C | null = null;
  const makeRoom = (): void => {
    last = null;
    let left = PASSED_OVER;
    for (const client of awake) {
      if (awake.size <= limits.whole || left === 0) return;
      awake.delete(client);
      if (client.front.rest()) {
        resting.add(client);
        onRest();
      } else {
        awake.add(client);
        left -= 1;
      }
    }
  };
  return {
    resting,
    used(client: C): void {
      if (client === last) return;
      last = client;
      resting.delete(client);
      awake.delete(client);
      awake.add(client);
      if (awake.size > limits.whole) makeRoom();
    },
    left(client: C): void {
      if (client === last) last = null;
      awake.delete(client);
      resting.delete(client);
    },
  };
}

async function lookForAll(first: Resting, others: readonly Resting[]): Promise<void> {
  const digest = await first.front.lookAgain();
  for (const { front } of others) front.tellOfTools(digest);
}

/** Returns memory some time after many went to rest or asked, and none for a moment. */
function createTidying({ clock, giveBack }: Pick<RestingOptions, "clock" | "giveBack">): {
  /** The part that was left behind of what is worth it. */
  note(part: number): void;
  stop(): void;
} {
  let timer: Timer = null;
  let [gone, before] = [0, 0];
  const later = (): void => {
    timer ??= clock.setTimeout(() => {
      timer = null;
      const isQuiet = gone === before;
      before = gone;
      if (!isQuiet) return later();
      [gone, before] = [0, 0];
      giveBack();
    }, QUIET);
    keepNobodyAwake(timer);
  };
  return {
    note(part) {
      gone += part;
      if (gone >= 1) later();
    },
    stop() {
      if (timer !== null) clock.clearTimeout(timer);
    },
  };
}

/** Those who are shown the same; one that never asked for tools has nothing that could be outdated. */
function groupsOf<C extends Resting>(clients: Iterable<C>, { config }: Pick<Crib, "config">): Iterable<readonly C[]> {
  const groups = new Map<string, C[]>();
  for (const client of clients) {
    if (client.front.remembered?.shown === null) continue;
    const key = keyOf(client, renewProfile(client.profile, config));
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [client]);
    else known.push(client);
  }
  return groups.values();
}

function keyOf({ front, clientName }: Resting, profile: Profile | null): string {
  // What it has loaded by itself is on no other's list.
  if (profile === null || (front.remembered?.promotions.names.length ?? 0) > 0) return front.id;
  const { agent, code, rules, limits, asked, caller } = profile;
  // Lists of servers that each person logs in at may differ.
  const person = caller === null ? null : personKey(caller);
  const { text } = toCanonicalJson({ agent, code, rules, limits, asked, clientName, person });
  return createHash("sha256").update(text).digest("base64url");
}

function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => keepNobodyAwake(clock.setTimeout(resolve, milliseconds)));
}

function followServers(main: Crib["main"], tell: (method: string) => void): { look(): void; stop(): void } {
  const followed = new Map<McpPeer, () => void>();
  const look = (): void => {
    const open = new Set(openServers(main).map(({ peer }) => peer));
    for (const [peer, stop] of followed)
      if (!open.has(peer)) {
        stop();
        followed.delete(peer);
      }
    for (const peer of open) if (!followed.has(peer)) followed.set(peer, peer.onNotification(tell));
  };
  look();
  return {
    look,
    stop() {
      for (const stop of followed.values()) stop();
    },
  };
}
