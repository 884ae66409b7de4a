import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Loss } from "../../system/rpc/framed-process.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import { waitUntil } from "../../system/time/wait-until.ts";
import { CONNECTED, type SourceFault, type SourceStatus, toStatus } from "../source.ts";
import { createChangeListeners } from "./change-listeners.ts";
import { lastWords } from "./last-words.ts";
import type { ProgramLimits } from "./limits.ts";
import { StartFailure } from "./start-failure.ts";

/** What is kept running: an MCP server, an extension. */
export interface Supervised {
  readonly lost: Promise<Loss>;
  /** HTTP status of a request that was refused for lack of a login: 401 or 403. */
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
  /** The word for its kind in messages; `MCP server` if absent. */
  readonly what?: string;
  readonly limits: SupervisorLimits;
  readonly clock: Clock;
  /** Its status until it is started. */
  readonly initial: SourceStatus;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Opens the connection until it can be used; obeys the signal. Reports to `note` what does not look well meanwhile. */
  readonly open: (signal: AbortSignal, note: (fault: SourceFault) => void) => Promise<Connection>;
  /** Whether there is an earlier list of tools to fall back on (C4). */
  readonly hasList: () => boolean;
  /**
   * What may be happening during a slow start, such as "npx may be downloading"; null if nothing is worth reporting.
   */
  readonly meanwhile?: string | null;
  /** Milliseconds that a call waits for the very first start; as for every other start if absent. */
  readonly firstWait?: number;
  readonly onConnected: (connection: Connection) => void;
  readonly onChange: () => void;
}

/** Keeps one server running: starts it, notices when it exits, and restarts it with growing pauses. */
export interface Supervisor<Connection extends Supervised> {
  readonly status: SourceStatus;
  readonly connection: Connection | null;
  start(): void;
  /** Ends the connection, or does not start one, until somebody wants it: `ready` starts it then. */
  rest(): void;
  /** The connection, once it is up; rejects with `mcp.unavailable`. */
  ready(signal: AbortSignal): Promise<Connection>;
  /** Resolves as soon as the first start has succeeded or failed, or the signal is aborted. */
  settled(signal: AbortSignal): Promise<void>;
  /** Restarts it without waiting for the backoff. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Phase<Connection extends Supervised> =
  | { readonly kind: "idle" }
  | { readonly kind: "starting"; readonly abort: AbortController }
  | { readonly kind: "connected"; readonly connection: Connection; readonly since: number }
  | { readonly kind: "waiting"; readonly until: number; readonly timer: Timer }
  | { readonly kind: "needs-auth" }
  | { readonly kind: "resting" }
  | { readonly kind: "closed" };

export function createSupervisor<Connection extends Supervised>(
  options: SupervisorOptions<Connection>,
): Supervisor<Connection> {
  return new ProgramSupervisor(options);
}

class ProgramSupervisor<Connection extends Supervised> implements Supervisor<Connection> {
  readonly #options: SupervisorOptions<Connection>;
  readonly #listeners = createChangeListeners();
  /** Connections that are closing; `close` waits for them too. */
  readonly #ending = new Set<Promise<unknown>>();
  #phase: Phase<Connection> = { kind: "idle" };
  #status: SourceStatus;
  #failures = 0;
  #hasSettled = false;
  /** It was at rest and is starting, which takes as long as a first start. */
  #isWaking = false;

  constructor(options: SupervisorOptions<Connection>) {
    this.#options = options;
    this.#status = options.initial;
  }

  get status(): SourceStatus {
    return this.#status;
  }

  get connection(): Connection | null {
    return this.#phase.kind === "connected" ? this.#phase.connection : null;
  }

  start(): void {
    if (this.#phase.kind === "idle") this.#start();
  }

  rest(): void {
    const { kind } = this.#phase;
    if (kind !== "idle" && kind !== "connected" && kind !== "waiting") return;
    const failed = kind === "waiting" ? this.#status : null;
    this.#leave();
    this.#enter({ kind: "resting" }, failed ?? AT_REST);
  }

  async ready(signal: AbortSignal): Promise<Connection> {
    const { clock, limits, firstWait = limits.callWait } = this.#options;
    if (this.#phase.kind === "resting") this.#wake();
    const deadline = clock.now() + (this.#hasSettled && !this.#isWaking ? limits.callWait : firstWait);
    const isComing = () =>
      this.#phase.kind === "starting" || (this.#phase.kind === "waiting" && this.#phase.until <= deadline);
    await waitUntil(() => !isComing(), this.#listeners.add, { clock, signal, within: deadline - clock.now() });
    if (this.connection !== null) return this.connection;
    signal.throwIfAborted();
    throw this.#unavailable();
  }

  async settled(signal: AbortSignal): Promise<void> {
    await waitUntil(() => this.#hasSettled, this.#listeners.add, { signal });
  }

  async restart(): Promise<void> {
    if (this.#phase.kind === "closed") return;
    this.#leave();
    this.#failures = 0;
    const state = this.#options.hasList() ? "stale" : "starting";
    this.#enter({ kind: "idle" }, { ...toStatus(state, "is being restarted"), isRestarting: true });
    await Promise.all(this.#ending);
    this.start();
  }

  async close(): Promise<void> {
    if (this.#phase.kind !== "closed") {
      this.#leave();
      this.#enter({ kind: "closed" }, toStatus("disabled", "is closed"));
    }
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  #wake(): void {
    this.#isWaking = true;
    this.#failures = 0;
    this.#start();
  }

  readonly #start = (): void => {
    const { clock, limits, meanwhile = null, open } = this.#options;
    const abort = new AbortController();
    const starting: Phase<Connection> = { kind: "starting", abort };
    const reason = meanwhile === null ? "is starting" : `is starting (${meanwhile})`;
    // A server that failed before keeps showing why until it is back.
    this.#enter(starting, this.#hasSettled ? this.#status : toStatus("starting", reason));
    let seen: SourceFault | undefined;
    const note = (fault: SourceFault): void => {
      seen = fault;
      if (this.#phase === starting && this.#status.state === "starting")
        this.#enter(starting, { ...this.#status, fault });
    };
    const onLate = () => (meanwhile === null ? abort.abort() : this.#overdue(starting, meanwhile, seen));
    const timer = clock.setTimeout(onLate, limits.startTimeout);
    const done = open(abort.signal, note)
      .finally(() => clock.clearTimeout(timer))
      .then(
        (connection) => (this.#phase === starting ? this.#onConnected(connection) : connection.close()),
        (error: unknown) => {
          if (this.#phase === starting) this.#onFailed(toFailure(error, abort.signal, limits));
        },
      );
    this.#end(done);
  };

  /**
   * Aborting a download would only make the next start repeat it, so it continues, but nobody waits for it any longer.
   */
  #overdue(starting: Phase<Connection>, meanwhile: string, fault: SourceFault | undefined): void {
    if (this.#phase !== starting) return;
    const { name, limits } = this.#options;
    const reason = `did not start within ${limits.startTimeout / 1000} s (${meanwhile})`;
    const next = `It is left running, and joins when it is ready. To restart it, run: toolcrib servers restart ${name}`;
    this.#hasSettled = true;
    const status = toStatus(this.#brokenState(), reason, next);
    this.#enter(starting, fault === undefined ? status : { ...status, fault });
  }

  #onConnected(connection: Connection): void {
    this.#options.onConnected(connection);
    this.#enter({ kind: "connected", connection, since: this.#options.clock.now() }, CONNECTED);
    void connection.lost.then(({ reason }) => this.#onLost(connection, reason));
  }

  #onLost(connection: Connection, reason: string | null): void {
    if (this.#phase.kind !== "connected" || this.#phase.connection !== connection) return;
    const { clock, limits } = this.#options;
    if (clock.now() - this.#phase.since >= limits.stableAfter) this.#failures = 0;
    const needsAuth = connection.refusal === 401;
    this.#onFailed(new StartFailure(reason ?? "closed the connection", { stderr: connection.readStderr(), needsAuth }));
    this.#end(connection.close());
  }

  #onFailed({ reason, details }: StartFailure): void {
    const { stderr = null, needsAuth = false, next: known = null, fault, isUnadmitted = false } = details;
    const { name, clock, limits, random } = this.#options;
    if (isUnadmitted && this.#options.hasList()) {
      this.#enter({ kind: "resting" }, toStatus(this.#brokenState(), reason, known));
      return;
    }
    if (needsAuth) {
      const next = known ?? `Set a valid token in its \`headers\`, or run: toolcrib servers login ${name}`;
      this.#enter({ kind: "needs-auth" }, toStatus("needs-auth", reason, next, stderr));
      return;
    }
    const delay = backoffDelay(this.#failures, random(), limits);
    this.#failures += 1;
    const timer = clock.setTimeout(this.#start, delay);
    const isUnclear = fault !== undefined || known === null;
    const found: SourceFault = fault ?? { kind: "other" };
    const next = known ?? describeRetry(name, { fault: found, stderr });
    const status = { ...toStatus(this.#brokenState(), reason, next, stderr), ...(isUnclear ? { fault: found } : {}) };
    this.#enter({ kind: "waiting", until: clock.now() + delay, timer }, status);
  }

  #enter(next: Phase<Connection>, status: SourceStatus): void {
    this.#phase = next;
    this.#status = status;
    if (next.kind !== "starting") [this.#hasSettled, this.#isWaking] = [true, false];
    this.#listeners.emit();
    this.#options.onChange();
  }

  /** Leaves the current phase silently. */
  #leave(): void {
    const phase = this.#phase;
    if (phase.kind === "starting") phase.abort.abort();
    if (phase.kind === "connected") this.#end(phase.connection.close());
    if (phase.kind === "waiting") this.#options.clock.clearTimeout(phase.timer);
  }

  #end(work: Promise<unknown>): void {
    const settled: Promise<unknown> = work.catch(() => {}).finally(() => this.#ending.delete(settled));
    this.#ending.add(settled);
  }

  /** Its earlier list may still be shown. */
  #brokenState(): "stale" | "failed" {
    return this.#options.hasList() ? "stale" : "failed";
  }

  #unavailable(): ToolcribError {
    const { name, what = "MCP server" } = this.#options;
    const text = `The ${what} "${name}" ${this.#status.reason ?? "is not connected"}.`;
    return new ToolcribError("mcp.unavailable", text, { names: [name] });
  }
}

/** Its tools can be used: a call starts it. */
const AT_REST = toStatus("connected", "is at rest until it is used");

/** Its own output says more than any reason of ours; without output, only its entry is left to check. */
function describeRetry(name: string, failed: Pick<SourceStatus, "fault" | "stderr">): string {
  const said = lastWords(failed);
  if (said === null) return 'It is tried again by itself. "toolcrib doctor" says what to change.';
  return `${said}. It is tried again by itself. For more: toolcrib servers logs ${name}`;
}

function toFailure(error: unknown, signal: AbortSignal, { startTimeout }: SupervisorLimits): StartFailure {
  if (signal.aborted) {
    const { stderr = null, fault } = error instanceof StartFailure ? error.details : {};
    return new StartFailure(`did not start within ${startTimeout / 1000} s`, {
      stderr,
      fault: fault === undefined || fault.kind === "other" ? { kind: "start-timeout" } : fault,
    });
  }
  return error instanceof StartFailure ? error : new StartFailure("could not be started");
}
