import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Loss } from "../../system/rpc/framed-process.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import type { SourceStatus } from "../source.ts";
import type { ProgramLimits } from "./limits.ts";
import { StartFailure } from "./start-failure.ts";

/** What is kept running: an MCP server, an extension. */
export interface Supervised {
  readonly lost: Promise<Loss>;
  /** HTTP status of a refusal to go on without proof of who asks: 401 or 403. */
  readonly refusal: number | null;
  /** The last lines on the error stream of a process. */
  readStderr(): string | null;
  close(): Promise<void>;
}

type SupervisorLimits = Pick<
  ProgramLimits,
  "startTimeout" | "callWait" | "stableAfter" | "backoffFirst" | "backoffMost"
>;

export interface SupervisorOptions<Connection extends Supervised> {
  readonly name: string;
  readonly limits: SupervisorLimits;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Brings the server up to the point where it can be used; obeys the signal. */
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  /** Whether an earlier list of tools is there to fall back on (C4). */
  readonly hasList: () => boolean;
  /** What may be going on while it starts, such as "npx may be downloading"; null: nothing worth telling. */
  readonly meanwhile?: string | null;
  /** Milliseconds for which a call waits for the very first start; as for every other one if absent. */
  readonly firstWait?: number;
  readonly onConnected: (connection: Connection) => void;
  readonly onChange: () => void;
}

/** Keeps one server running: starts it, notices when it is gone, brings it back with growing patience. */
export interface Supervisor<Connection extends Supervised> {
  readonly status: SourceStatus;
  readonly connection: Connection | null;
  start(): void;
  /** The connection, waiting for one that is coming up; rejects with `mcp.unavailable`. */
  ready(signal: AbortSignal): Promise<Connection>;
  /** Resolves as soon as the first start has succeeded or failed, or the signal says to stop waiting. */
  settled(signal: AbortSignal): Promise<void>;
  /** Ends it and starts it anew, without waiting for a backoff. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Phase<Connection extends Supervised> =
  | { readonly kind: "idle" }
  | { readonly kind: "starting"; readonly abort: AbortController }
  | { readonly kind: "connected"; readonly connection: Connection; readonly since: number }
  | { readonly kind: "waiting"; readonly until: number; readonly timer: Timer }
  | { readonly kind: "needs-auth" }
  | { readonly kind: "closed" };

export function createSupervisor<Connection extends Supervised>(
  options: SupervisorOptions<Connection>,
): Supervisor<Connection> {
  const { name, limits, clock, meanwhile = null } = options;
  const waiters = new Set<() => void>();
  /** Connections that are being taken down; `close` waits for them too. */
  const ending = new Set<Promise<unknown>>();
  let phase: Phase<Connection> = { kind: "idle" };
  let status: SourceStatus = { state: "starting", reason: null, next: null, stderr: null };
  let failures = 0;
  let hasSettled = false;

  const enter = (next: Phase<Connection>, nextStatus: SourceStatus): void => {
    phase = next;
    status = nextStatus;
    if (next.kind !== "starting") hasSettled = true;
    for (const wake of [...waiters]) wake();
    options.onChange();
  };
  const end = (work: Promise<unknown>): void => {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => ending.delete(settled));
    ending.add(settled);
  };

  const start = (): void => {
    const abort = new AbortController();
    const before = status;
    const starting: Phase<Connection> = { kind: "starting", abort };
    // A server that failed before keeps telling why until it is back.
    enter(starting, hasSettled ? before : startingStatus(meanwhile));
    const timer = clock.setTimeout(() => (meanwhile === null ? abort.abort() : overdue(starting)), limits.startTimeout);
    const done = options.open(abort.signal).then(
      (connection) => {
        clock.clearTimeout(timer);
        if (phase !== starting) return connection.close();
        options.onConnected(connection);
        enter({ kind: "connected", connection, since: clock.now() }, connectedStatus());
        void connection.lost.then(({ reason }) => onLost(connection, reason));
        return undefined;
      },
      (error: unknown) => {
        clock.clearTimeout(timer);
        if (phase === starting) onFailed(toFailure(error, abort.signal, limits));
      },
    );
    end(done);
  };

  /** Ending a download would only make the next start begin it anew: it may go on, and nobody waits for it any longer. */
  const overdue = (starting: Phase<Connection>): void => {
    if (phase !== starting) return;
    hasSettled = true;
    enter(starting, {
      state: options.hasList() ? "stale" : "failed",
      reason: `did not start within ${limits.startTimeout / 1000} s (${meanwhile})`,
      next: `It is left running, and joins when it is ready. To start it anew, run: toolcrib servers restart ${name}`,
      stderr: null,
    });
  };

  const onLost = (connection: Connection, reason: string | null): void => {
    if (phase.kind !== "connected" || phase.connection !== connection) return;
    if (clock.now() - phase.since >= limits.stableAfter) failures = 0;
    const stderr = connection.readStderr();
    const needsAuth = connection.refusal === 401;
    onFailed(new StartFailure(reason ?? "closed the connection", stderr, needsAuth));
    end(connection.close());
  };

  const onFailed = ({ reason, stderr, needsAuth, next: known }: StartFailure): void => {
    if (needsAuth) {
      const next = `Set a valid token in its \`headers\`, or run: toolcrib servers login ${name}`;
      enter({ kind: "needs-auth" }, { state: "needs-auth", reason, next, stderr });
      return;
    }
    const delay = backoffDelay(failures, options.random(), limits);
    failures += 1;
    const timer = clock.setTimeout(start, delay);
    const next = known ?? `It is tried again by itself. To look closer, run: toolcrib servers logs ${name}`;
    const state = options.hasList() ? "stale" : "failed";
    enter({ kind: "waiting", until: clock.now() + delay, timer }, { state, reason, next, stderr });
  };

  /** Leaves whatever is going on, without a word to anybody. */
  const leave = (): void => {
    switch (phase.kind) {
      case "starting":
        phase.abort.abort();
        break;
      case "connected":
        end(phase.connection.close());
        break;
      case "waiting":
        clock.clearTimeout(phase.timer);
        break;
    }
  };

  const unavailable = (): ToolcribError => {
    const text = `The MCP server "${name}" ${status.reason ?? "is not connected"}.`;
    return new ToolcribError("mcp.unavailable", text, { names: [name] });
  };

  return {
    get status() {
      return status;
    },
    get connection() {
      return phase.kind === "connected" ? phase.connection : null;
    },
    start: () => {
      if (phase.kind === "idle") start();
    },
    async ready(signal) {
      const deadline = clock.now() + (hasSettled ? limits.callWait : (options.firstWait ?? limits.callWait));
      while (phase.kind !== "connected") {
        const soon = phase.kind === "starting" || (phase.kind === "waiting" && phase.until <= deadline);
        if (!soon || clock.now() >= deadline) throw unavailable();
        await wake(waiters, clock, signal, deadline - clock.now());
        signal.throwIfAborted();
      }
      return phase.connection;
    },
    async settled(signal) {
      while (!hasSettled && !signal.aborted) await wake(waiters, clock, signal, null);
    },
    async restart() {
      if (phase.kind === "closed") return;
      leave();
      failures = 0;
      const state = options.hasList() ? "stale" : "starting";
      enter({ kind: "idle" }, { state, reason: "is being started anew", next: null, stderr: null });
      await Promise.all(ending);
      if (phase.kind === "idle") start();
    },
    async close() {
      if (phase.kind !== "closed") {
        leave();
        enter({ kind: "closed" }, { state: "disabled", reason: "is closed", next: null, stderr: null });
      }
      while (ending.size > 0) await Promise.all(ending);
    },
  };
}

function startingStatus(meanwhile: string | null): SourceStatus {
  const reason = meanwhile === null ? "is starting" : `is starting (${meanwhile})`;
  return { state: "starting", reason, next: null, stderr: null };
}

function connectedStatus(): SourceStatus {
  return { state: "connected", reason: null, next: null, stderr: null };
}

function toFailure(error: unknown, signal: AbortSignal, { startTimeout }: SupervisorLimits): StartFailure {
  if (signal.aborted) {
    const stderr = error instanceof StartFailure ? error.stderr : null;
    return new StartFailure(`did not start within ${startTimeout / 1000} s`, stderr, false);
  }
  return error instanceof StartFailure ? error : new StartFailure("could not be started", null, false);
}

/** Waits until somebody wakes all waiters, the signal is aborted, or the time is up. */
function wake(waiters: Set<() => void>, clock: Clock, signal: AbortSignal, within: number | null): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      waiters.delete(done);
      signal.removeEventListener("abort", done);
      if (timer !== null) clock.clearTimeout(timer);
      resolve();
    };
    const timer = within === null ? null : clock.setTimeout(done, within);
    waiters.add(done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
