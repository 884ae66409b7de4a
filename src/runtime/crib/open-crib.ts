import { randomUUID } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { nameList } from "../../core/codes/origin.ts";
import { toClient } from "../../core/scene/client.ts";
import type { Limit } from "../../core/scene/scene.ts";
import { detectSandbox } from "../../system/sandbox/detect-sandbox.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import type { SessionHooks } from "../hooks/hook-types.ts";
import { type GrantStore, openGrants } from "../permissions/grant-store.ts";
import type { WantedSource } from "../session/configured-sources.ts";
import { createHostSetting, type HostOptions } from "../session/host-setting.ts";
import { type OpenSession, openSession } from "../session/session.ts";
import { type SessionSetting, SILENT } from "../session/setting.ts";
import { withClient } from "../session/with-client.ts";
import { createApprovals } from "./approvals.ts";
import type { Crib, CribView, Profile, ViewOptions } from "./crib.ts";
import { waitForCalls } from "./drain.ts";
import { gatewayBuiltins } from "./gateway-builtins.ts";
import { describeClient, MAIN, renewProfile, toViewConfig } from "./profile.ts";
import { createSourcePool } from "./source-pool.ts";
import { createViewApprover } from "./view-approver.ts";
import { createViewGrants } from "./view-grants.ts";

export interface CribOptions extends Pick<HostOptions, "version" | "cwd" | "home" | "env" | "workspace" | "logger"> {
  readonly clock?: Clock;
  /** Milliseconds for which a source that nobody uses is kept. */
  readonly grace?: number;
  /** Milliseconds for which `close` lets running calls go on. */
  readonly drain?: number;
  /** Whether anybody looks at the queue of approvals; yes if absent. */
  readonly isWatched?: () => boolean;
  readonly hooks?: () => SessionHooks;
  /** Called for each session before anything runs in it. */
  readonly watch?: (view: CribView) => void;
  readonly pins?: HostOptions["pins"];
}

interface OpenView extends CribView {
  profile: Profile;
  limits: readonly Limit[];
  /** The configuration that it follows. */
  follows: Config;
  readonly opened: OpenSession;
}

const DRAIN = 10_000;
const NOTHING: readonly Limit[] = [{ include: nameList([]), exclude: nameList([]) }];

/** Opens a Toolcrib for any number of clients. Nobody waits for servers: it is ready at once. */
export async function openCrib(first: Config, options: CribOptions): Promise<Crib> {
  const { clock = SYSTEM_CLOCK, logger = SILENT, drain = DRAIN, isWatched = () => true } = options;
  const views = new Set<OpenView>();
  const listeners = new Set<() => void>();
  const approvals = createApprovals();
  const pool = createSourcePool({
    clock,
    onError: logger.error,
    ...(options.grace === undefined ? {} : { grace: options.grace }),
  });
  const detect = once(detectSandbox);
  let kept: Promise<GrantStore> | null = null;
  const keptGrants = (): Promise<GrantStore> => {
    const { home, env, workspace } = options;
    // One that could not be read is tried again by the next session.
    kept ??= openGrants({ home, env, workspace }).catch((error: unknown) => {
      kept = null;
      throw error;
    });
    return kept;
  };
  let config = first;
  let closed: Promise<void> | null = null;
  let changing: Promise<unknown> = Promise.resolve();

  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };

  const settingOf = (view: Omit<ViewOptions, "profile">, limits: () => readonly Limit[]) => {
    const { version, cwd, home, env, workspace } = options;
    const approver = createViewApprover({ config: () => config, approvals, isWatched }, view);
    const setting = createHostSetting({
      ...{ version, cwd, home, env, workspace, logger, detectSandbox: detect, allowNoTools: true, keepsLists: true },
      builtins: gatewayBuiltins,
      id: randomUUID(),
      calls: {
        ...approver,
        grants: async () => createViewGrants(await keptGrants()),
        asksAtOnce: view.isShared === true,
        ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
      },
      ...(options.pins === undefined ? {} : { pins: options.pins }),
    });
    return {
      ...setting,
      open: async (wanted: WantedSource) =>
        withClient(await (wanted.sharable === true ? pool.lease(wanted) : wanted.open()), view.client),
      facts: (...given) => ({
        ...setting.facts(...given),
        limits: limits(),
        client: { ...toClient(view.clientName ?? null, config.gateway.knownClients), late: view.isLate?.() === true },
      }),
    } satisfies SessionSetting;
  };

  const main = await openSession(
    config,
    settingOf({ label: "inspector", approve: null, client: null }, () => []),
  ).catch(async (error: unknown) => {
    await pool.close();
    throw error;
  });
  options.watch?.({ session: main, label: "inspector", principal: "main" });

  /** What a client is may have changed with the configuration; one that is known no more keeps its session and sees nothing. */
  const follow = async (view: OpenView): Promise<void> => {
    const renewed = renewProfile(view.profile, config);
    const now = keepMode(config, view.follows, view.opened);
    view.follows = config;
    try {
      if (renewed === null) throw new Error(`${view.principal} is known no more`);
      const next = toViewConfig(now, renewed);
      [view.profile, view.limits] = [renewed, renewed.limits];
      await view.opened.reconfigure(next);
    } catch (error) {
      logger.error(`${view.label} cannot follow the configuration, and sees no tools`, error);
      view.limits = NOTHING;
      await view.opened.reconfigure({ ...now, agent: null });
    }
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const run = changing.then(work);
    changing = run.catch(() => {});
    return run;
  };

  return {
    get config() {
      return config;
    },
    main,
    get sources() {
      // Servers that only an agent has run for its clients alone; what the main session holds are leases of the rest.
      const held = new Set(main.sources.map((source): unknown => Object.getPrototypeOf(source)));
      return [...main.sources, ...pool.sources.filter((source) => !held.has(source))];
    },
    get views() {
      return [...views];
    },
    approvals,
    async openView({ profile, ...given }) {
      if (closed !== null) throw new Error("this Toolcrib is closed");
      const startedWith = config;
      const current: { limits: () => readonly Limit[] } = { limits: () => profile.limits };
      const shownAs = describeClient({ label: given.label, principal: profile.principal });
      const setting = settingOf({ ...given, label: shownAs }, () => current.limits());
      const opened = await openSession(toViewConfig(config, profile), setting);
      const close = async (): Promise<void> => {
        if (views.delete(view)) tell();
        await opened.close();
      };
      const session = Object.create(opened, {
        close: { value: close },
        [Symbol.asyncDispose]: { value: close },
      }) as OpenSession; // All else is inherited.
      const { label } = given;
      const { principal, limits } = profile;
      const view: OpenView = { session, label, principal, profile, limits, follows: startedWith, opened };
      current.limits = () => view.limits;
      views.add(view);
      options.watch?.(view);
      if (closed !== null) await close();
      else if (config !== startedWith) await inTurn(() => follow(view));
      tell();
      return session;
    },
    async openBeside(other, { calls, logger: ownLogger, label }) {
      const { version, cwd, home, env, workspace } = options;
      const setting = createHostSetting({
        ...{ version, cwd, home, env, workspace, logger: ownLogger, detectSandbox: detect, allowNoTools: true, calls },
        ...(options.pins === undefined ? {} : { pins: options.pins }),
        id: randomUUID(),
      });
      const session = await openSession(other, {
        ...setting,
        open: (wanted) => (wanted.sharable === true ? pool.lease(wanted) : wanted.open()),
      });
      if (label !== null) options.watch?.({ session, label, principal: MAIN });
      return session;
    },
    reconfigure: (next) =>
      inTurn(async () => {
        if (closed !== null) return;
        const before = config;
        try {
          await main.reconfigure(keepMode(next, before, main));
        } catch (error) {
          await main.reconfigure(keepMode(before, before, main));
          throw error;
        }
        config = next;
        await Promise.all([...views].map(follow));
        tell();
      }),
    changes(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      closed ??= (async () => {
        approvals.close();
        await waitForCalls([main, ...[...views].map(({ session }) => session)], drain, clock);
        await Promise.all([...views].map(({ session }) => session.close()));
        await main.close();
        await pool.close();
        listeners.clear();
      })();
      return closed;
    },
  };
}

/** A mode that the session has come to by itself, by an approved plan, holds until another one is configured. */
function keepMode(next: Config, before: Config, { config: { permissions } }: OpenSession): Config {
  const configured = before.permissions.mode.value;
  if (next.permissions.mode.value !== configured || permissions.mode.value === configured) return next;
  return { ...next, permissions: { ...next.permissions, mode: permissions.mode } };
}

/** What the machine offers does not change from client to client. */
function once(detect: typeof detectSandbox): typeof detectSandbox {
  const known = new Map<string, ReturnType<typeof detectSandbox>>();
  return (options) => {
    const key = JSON.stringify(options);
    const found = known.get(key) ?? detect(options);
    known.set(key, found);
    return found;
  };
}
