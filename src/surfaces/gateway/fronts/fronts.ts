import { randomBytes } from "node:crypto";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { toClient } from "../../../core/scene/client.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { narrowProfile } from "../../../runtime/crib/profile.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import { giveMemoryBackInSteps } from "../../../system/give-memory-back.ts";
import { createPassingSet, type PassingSet } from "../../../system/passing.ts";
import type { Timer } from "../../../system/time/clock.ts";
import type { MethodPorts } from "../methods/methods.ts";
import type { MachineMessage } from "../shared/machines.ts";
import { type SessionShare, type Shared, toShare } from "../shared/shared.ts";
import type { Front } from "../views/front.ts";
import { createViewOpener, type ViewOpenerOptions, type ViewWish } from "../views/open-view.ts";
import type { ServerInfo } from "../wire/finish.ts";
import type { HttpReply } from "../wire/http-reply.ts";
import type { Params } from "../wire/json-rpc.ts";
import { clientOwner } from "./client-owner.ts";
import { type ClientSlots, createClientSlots } from "./client-slots.ts";
import type { Connected, LegacyClient, ModernClient } from "./connected.ts";
import { openLegacySession } from "./legacy-session.ts";
import { type LegacyWish, profileNow, toRecord } from "./legacy-wish.ts";
import { ABANDONED, type Placed, slotOf } from "./make-room.ts";
import { createModernFront } from "./modern-front.ts";
import { createRestingClients, type RestingClients } from "./resting.ts";
import type { SuspendedCalls } from "./suspended-calls.ts";

/** All clients: older ones by session, newer ones by identity. Clients that fall silent are dropped. */
export interface Fronts {
  readonly all: readonly (LegacyClient | ModernClient)[];
  /** Whether it listens, calls or was active a moment ago; one that left silently is not. */
  isHere(client: LegacyClient | ModernClient): boolean;
  /** `isStored`: it outlives this process, and other machines serve it too, if there is a store. */
  openLegacy(options: LegacyWish, isStored?: boolean): Promise<LegacyClient>;
  findLegacy(id: string): LegacyClient | undefined;
  /** Opens a session that the store knows; null if its owner has none. */
  restoreLegacy(id: string, profile: Profile): Promise<LegacyClient | "unknown" | "foreign">;
  /** Takes as long as finding that there is no such session. */
  lookUp(id: string): Promise<void>;
  /** Clients with the same key are one, whatever they call themselves. */
  modern(profile: Profile, key: string, clientName: string | null): Promise<ModernClient>;
  /** Records that the client was active, unless it has ended: its streams end after it. */
  touch(client: LegacyClient | ModernClient): void;
  /** Keeps the client while something of it is open; returns how to release it. */
  hold(client: LegacyClient | ModernClient): () => void;
  /** Keeps it as long, and counts a stream as one client more; throws if there is no room for it. */
  holdStream(client: ModernClient): () => void;
  /** Drops it here; what the store knows about it stays. */
  end(client: LegacyClient | ModernClient): Promise<void>;
  /** Ends it for good, on every machine. */
  endForGood(client: LegacyClient): Promise<void>;
  /** Ends all clients of these profiles for good, and those that are about to connect. */
  endOf(isTheirs: (profile: Profile) => boolean): Promise<void>;
  /** Open replies: pinged at every sweep, so that their clients keep waiting. */
  readonly open: PassingSet<Pick<HttpReply, "ping">>;
  changes(listener: () => void): () => void;
  close(): Promise<void>;
}

export interface FrontsOptions extends MethodPorts, ViewOpenerOptions {
  readonly server: ServerInfo;
  readonly capabilities: Params;
  readonly suspended: SuspendedCalls;
  /** What is shared with other machines; null if nothing outlives this process. */
  readonly shared?: Shared | null;
  /** Returns memory to the machine after clients have left, gone to rest or asked much. */
  readonly giveBack?: () => void;
}

/** How often clients are checked: several times within the idle limit, and often enough to keep streams alive. */
const SWEEP = 25_000;

/** Clients that together leave enough behind to be worth a pause of some dozen milliseconds. */
const MANY = 64;

export function createFronts(options: FrontsOptions): Fronts {
  return new OpenFronts(options);
}

class OpenFronts implements Fronts {
  readonly open: Fronts["open"] = createPassingSet();
  readonly #options: FrontsOptions;
  readonly #interval: number;
  readonly #openView: ReturnType<typeof createViewOpener>;
  readonly #legacy = new Map<string, LegacyClient>();
  readonly #modern = new Map<string, ModernClient>();
  readonly #opening = new Map<string, Promise<ModernClient>>();
  readonly #restoring = new Map<string, ReturnType<Fronts["restoreLegacy"]>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #stopListening: () => void;
  readonly #listeners = createChangeListeners();
  readonly #rest: RestingClients<LegacyClient>;
  /** Whose access has ended while somebody was about to connect. */
  readonly #endedMeanwhile = new Set<(profile: Profile) => boolean>();
  readonly #slots: ClientSlots;
  #timer: Timer | null = null;
  #last = 0;
  #lastHere = 0;
  /** Clients that have left since memory was last returned. */
  #gone = 0;
  #closed: Promise<void> | null = null;

  constructor(options: FrontsOptions) {
    this.#options = options;
    this.#interval = Math.max(1, Math.min(SWEEP, options.limits.idle / 4));
    this.#openView = createViewOpener(options);
    const ports = { here: () => this.#placed(), putOut: (client: LegacyClient | ModernClient) => this.#putOut(client) };
    this.#slots = createClientSlots({ ...options, ...ports });
    this.#rest = createRestingClients({ giveBack: giveMemoryBackInSteps, ...options });
    this.#stopListening = options.shared?.machines.listen((message) => this.#hear(message)) ?? (() => {});
  }

  get all(): readonly (LegacyClient | ModernClient)[] {
    return [...this.#legacy.values(), ...this.#modern.values()];
  }

  isHere(client: LegacyClient | ModernClient): boolean {
    return !this.#isSilentFor(client, ABANDONED);
  }

  async openLegacy(wish: LegacyWish, isStored = false): Promise<LegacyClient> {
    const id = randomBytes(16).toString("hex");
    const { shared = null } = this.#options;
    if (!isStored || shared === null) return this.#openLegacy(id, wish, null);
    const client = await this.#openLegacy(id, wish, toShare(shared, id, null));
    try {
      await shared.rows.create(id, toRecord(wish, shared.machines.self));
      return client;
    } catch (error) {
      await this.end(client);
      throw error;
    }
  }

  restoreLegacy(id: string, profile: Profile): ReturnType<Fronts["restoreLegacy"]> {
    const owner = clientOwner(profile);
    const known = this.#legacy.get(id);
    if (known !== undefined) return Promise.resolve(clientOwner(known.profile) === owner ? known : "foreign");
    // Somebody else who comes with the same id meanwhile is no part of that (O7).
    const key = `${id}\n${owner}`;
    const work = this.#restoring.get(key) ?? this.#restore(id, profile).finally(() => this.#restoring.delete(key));
    this.#restoring.set(key, work);
    return work;
  }

  findLegacy(id: string): LegacyClient | undefined {
    return this.#legacy.get(id);
  }

  async lookUp(id: string): Promise<void> {
    await this.#options.shared?.rows.load(id);
  }

  async modern(profile: Profile, key: string, name: string | null): Promise<ModernClient> {
    const { row: clientName } = toClient(name, this.#options.crib.config.gateway.knownClients);
    const id = `${key}\n${clientName ?? ""}`;
    const known = this.#modern.get(id) ?? this.#opening.get(id);
    if (known !== undefined) return known;
    const wish = { id, profile, label: profile.principal, isShared: true, clientName, storedAs: id };
    const work = this.#open(this.#modern, wish, async () =>
      createModernFront({
        ...{ ...this.#options, view: await this.#openView(wish), owner: clientOwner(profile) },
        shared: this.#options.shared ?? null,
      }),
    ).finally(() => this.#opening.delete(id));
    this.#opening.set(id, work);
    return work;
  }

  touch(client: LegacyClient | ModernClient): void {
    client.seen = this.#options.clock.now();
    this.#rest.asked();
    const { shared = null } = this.#options;
    if (shared === null || client.front.era === "modern" || !this.#legacy.has(client.id)) return;
    this.#rest.used(client as LegacyClient);
    if (client.seen - client.noted >= shared.noteEvery) this.#note(client, shared).catch(() => {}); // The next will.
  }

  async #note(client: LegacyClient | ModernClient, { rows, machines }: Shared): Promise<void> {
    client.noted = client.seen;
    const now = { seen: Date.now(), machine: machines.self, calls: client.front.calls };
    await rows.change(client.id, (record) => ({ ...record, ...now }));
  }

  /** A client recorded by a machine that has ended since is here now, but others look for it where it was recorded. */
  async #noteLeft(shared: Shared): Promise<void> {
    const living = await shared.machines.names();
    if (living.size < 2) return;
    const rows = await shared.rows.all();
    const left = [...this.#legacy.values()].filter(
      (client) => this.isHere(client) && !living.has(rows.get(client.id)?.machine ?? shared.machines.self),
    );
    for (const client of left) await this.#note(client, shared);
  }

  hold(client: LegacyClient | ModernClient): () => void {
    let held = true;
    client.uses += 1;
    return () => {
      if (!held) return;
      held = false;
      client.uses -= 1;
      this.touch(client);
    };
  }

  holdStream(client: ModernClient): () => void {
    const leave = this.#slots.listen(client.profile);
    const release = this.hold(client);
    return () => {
      leave();
      release();
    };
  }

  async endForGood(client: LegacyClient): Promise<void> {
    const { shared = null } = this.#options;
    await shared?.rows.forget(client.id);
    shared?.machines.tellOthers({ kind: "ended", session: client.id });
    await this.end(client);
    await shared?.calls.forgetAll(client.id);
  }

  async endOf(isTheirs: (profile: Profile) => boolean): Promise<void> {
    if (this.#slots.areSomeComing) this.#endedMeanwhile.add(isTheirs);
    const theirs = this.all.filter(({ profile }) => isTheirs(profile));
    // Nothing of it waits for the store.
    const ended = theirs.map((client) => this.end(client));
    for (const client of theirs) if (client.front.era === "legacy") await this.endForGood(client as LegacyClient);
    await Promise.all(ended);
  }

  end(client: LegacyClient | ModernClient): Promise<void> {
    const known = client.front.era === "legacy" ? this.#legacy.delete(client.id) : this.#modern.delete(client.id);
    if (!known) return Promise.resolve();
    client.leave();
    if (client.front.era === "legacy") this.#rest.left(client as LegacyClient);
    const work: Promise<void> = client.front
      .close()
      .catch((error: unknown) => this.#options.onError(`${client.label} could not be closed`, error))
      .finally(() => {
        this.#ending.delete(work);
        this.#gone += 1;
        if (this.#ending.size === 0) this.#tidy();
      });
    this.#ending.add(work);
    this.#listeners.emit();
    return work;
  }

  changes(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      if (this.#timer !== null) this.#options.clock.clearTimeout(this.#timer);
      await Promise.allSettled(this.#opening.values());
      this.#stopListening();
      this.#rest.close();
      for (const client of this.all) void this.end(client);
      await Promise.all(this.#ending);
      this.#listeners.clear();
    })();
    return this.#closed;
  }

  async #openLegacy(id: string, wish: LegacyWish, share: SessionShare | null): Promise<LegacyClient> {
    const { label, version, capabilities } = wish;
    const { crib } = this.#options;
    const { row: clientName } = toClient(label, crib.config.gateway.knownClients);
    const given = { id, label, isShared: false, clientName: label, storedAs: share && id };
    const client = await this.#open(this.#legacy, { ...given, profile: wish.profile, clientName }, () =>
      openLegacySession({
        ...{ ...this.#options, id, version, capabilities, share },
        // After a rest the configuration may be another one.
        openView: (lifelong) => this.#openView({ ...given, ...lifelong, profile: profileNow(wish.profile, crib) }),
        holdsAlone: ({ session }) => crib.holdsAlone(session),
      }),
    );
    this.touch(client);
    return client;
  }

  async #restore(id: string, profile: Profile): ReturnType<Fronts["restoreLegacy"]> {
    const { shared = null } = this.#options;
    const record = (await shared?.rows.load(id)) ?? null;
    if (shared === null || record === null) return "unknown";
    if (record.owner !== clientOwner(profile)) return "foreign";
    const { label, version, capabilities, asked } = record;
    const wish = { profile: narrowProfile(profile, asked), label, version, capabilities };
    return this.#openLegacy(id, wish, toShare(shared, id, record));
  }

  /** Handles a message of another machine about a session. */
  #hear(message: MachineMessage): void {
    const client = this.#legacy.get(message.session);
    if (client === undefined) return;
    switch (message.kind) {
      case "said":
        client.front.take(message.message, "other");
        return;
      case "ended":
        return void this.end(client);
      case "send":
        return void client.front.streams.atOnce.send(message.text);
      case "changed":
        this.#options.shared?.rows.load(client.id).then(
          (record) => (record === null ? undefined : client.front.adopt(record)),
          () => {}, // It checks again before it lists anything.
        );
    }
  }

  async #open<F extends Pick<Front, "close">>(
    into: Map<string, Connected<F>>,
    { id, profile, label, clientName }: Pick<ViewWish, "id" | "profile" | "label" | "clientName">,
    create: () => Promise<F>,
  ): Promise<Connected<F>> {
    const slot = this.#slots.take(profile);
    let isIn = false;
    try {
      if (this.#closed !== null) throw new Error("the gateway is closed");
      const front = await create();
      if ([...this.#endedMeanwhile].some((isTheirs) => isTheirs(profile))) {
        await front.close();
        throw new ToolcribError("people.ended", "the access that this token gave has ended");
      }
      const { clock } = this.#options;
      this.#last += 1;
      const client: Connected<F> = {
        ...{ front, id, shownAs: `client-${this.#last}`, profile, label, clientName },
        ...{ leave: slot.leave, since: Date.now(), seen: clock.now(), noted: clock.now(), uses: 0 },
      };
      this.#timer ??= clock.setTimeout(() => this.#sweep(), this.#interval);
      into.set(id, client);
      isIn = true;
      this.#listeners.emit();
      return client;
    } finally {
      slot.arrive();
      if (!this.#slots.areSomeComing) this.#endedMeanwhile.clear();
      if (!isIn) slot.leave();
    }
  }

  #isSilentFor({ seen, uses, front }: LegacyClient | ModernClient, time: number): boolean {
    return uses === 0 && !front.isBusy && this.#options.clock.now() - seen >= time;
  }

  /** Keeps streams alive, and drops clients that were silent for too long. */
  #sweep(): void {
    const { clock, limits, shared = null } = this.#options;
    this.#timer = null;
    for (const reply of this.open) reply.ping();
    const quiet = Math.min(ABANDONED, limits.idle);
    const silent = this.all.filter((client) => this.#isSilentFor(client, quiet)).sort((a, b) => b.seen - a.seen);
    for (const [at, client] of silent.entries())
      if (at >= limits.silentSessions || this.#isSilentFor(client, limits.idle)) void this.end(client);
    const here = this.all.filter((client) => this.isHere(client)).length;
    if (here !== this.#lastHere) this.#listeners.emit();
    this.#lastHere = here;
    if (shared !== null && here > 0) this.#noteLeft(shared).catch(() => {}); // The next sweep will do.
    if (this.all.length > 0 && this.#closed === null)
      this.#timer = clock.setTimeout(() => this.#sweep(), this.#interval);
  }

  /** When nobody would notice the pause; else the next client that leaves triggers it again. */
  #tidy(): void {
    if (this.#gone < MANY || this.#closed !== null || this.all.some(({ front }) => front.isBusy)) return;
    this.#gone = 0;
    (this.#options.giveBack ?? giveMemoryBackInSteps)();
  }

  /** Ends a client whose slot somebody else needs: its owner has as many as allowed on this machine. */
  #putOut(client: LegacyClient | ModernClient): void {
    const { shared = null, onError } = this.#options;
    void this.end(client);
    if (client.front.era === "legacy")
      shared?.rows.forget(client.id).catch((error: unknown) => onError("a session could not be ended", error));
  }

  #placed(): readonly (Placed & { readonly client: LegacyClient | ModernClient })[] {
    const { clock } = this.#options;
    return this.all.map((client) => ({
      ...{ client, ...slotOf(client.profile) },
      silence: this.#isSilentFor(client, 0) ? clock.now() - client.seen : null,
    }));
  }
}
