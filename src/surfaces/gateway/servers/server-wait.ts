import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import type { Source, SourceState } from "../../../sources/source.ts";
import type { Clock } from "../../../system/time/clock.ts";
import { waitUntil } from "../../../system/time/wait-until.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import type { PeerStates } from "./peer-states.ts";

/** Waits for servers that are starting: for all of them, or, for a list, only as long as that is useful. */
export interface ServerWait {
  settled(what: "list" | "all"): Promise<void>;
  /** The same for prompts and resources, for which there is no stored list. */
  connected(what: "list" | "all"): Promise<void>;
}

export interface ServerWaitPorts {
  readonly peers: PeerStates;
  readonly clock: Clock;
  readonly limits: Pick<GatewayLimits, "patience" | "listPatience">;
  /** Records that a client was shown a list that lacks servers, and will not ask again. */
  readonly lateness?: { isLate: boolean };
}

export function createServerWait(session: OpenSession, ports: ServerWaitPorts): ServerWait {
  const { peers, clock, limits, lateness = { isLate: false } } = ports;
  /** Milliseconds; 0 if nobody is waited for. */
  const patienceLeft = (what: "list" | "all", asked: number, isAwaited: (source: Source) => boolean): number => {
    const starting = session.sources.filter(isAwaited);
    if (starting.length === 0) return 0;
    if (what === "all") return asked + limits.patience - clock.now();
    return Math.max(...starting.map((source) => peers.since(source) + limits.listPatience - clock.now()));
  };
  /** Waits for the servers, but no longer than until the tools change. */
  const areAllThere = async (patience: number): Promise<boolean> => {
    const controller = new AbortController();
    const timer = clock.setTimeout(() => controller.abort(), patience);
    const stop = session.on("session.tools_updated", () => controller.abort());
    await session.settled(controller.signal);
    stop();
    clock.clearTimeout(timer);
    return !controller.signal.aborted;
  };
  const settled = async (what: "list" | "all"): Promise<void> => {
    const asked = clock.now();
    for (;;) {
      const left = patienceLeft(what, asked, isUnlisted);
      if (left <= 0 || (await areAllThere(left))) break;
    }
    // From then on it finds and calls later tools through tools that it was shown.
    const isDeaf = session.toolset.scene.client?.listChanged === false;
    if (what === "all" || lateness.isLate || !isDeaf || !session.sources.some(isUnlisted)) return;
    lateness.isLate = true;
    session.renewScene();
  };
  return {
    settled,
    async connected(what) {
      const asked = clock.now();
      await settled(what);
      const within = patienceLeft(what, asked, isStarting);
      await Promise.all(
        session.sources.map((source) => waitUntil(() => !isStarting(source), source.changes, { clock, within })),
      );
    },
  };
}

const MISSING: ReadonlySet<SourceState> = new Set(["starting", "failed", "needs-auth"]);

export function isMissing({ status }: Source): boolean {
  return MISSING.has(status.state) && status.isStandIn !== true;
}

/** Nobody knows yet what it will list. */
function isUnlisted(source: Source): boolean {
  return isStarting(source) && source.status.isStandIn !== true;
}

function isStarting({ status }: Source): boolean {
  return status.state === "starting";
}
