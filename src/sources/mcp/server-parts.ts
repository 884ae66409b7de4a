import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { buildServerEnv, secretsIn } from "../../system/process/server-env.ts";
import { type SpawnProcess, spawnProcess } from "../../system/process/spawn-process.ts";
import { BACKGROUND, type Background } from "../../system/time/background.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { onAbort } from "../../system/time/until-aborted.ts";
import { type CallBreaker, createCallBreaker } from "../parts/breaker.ts";
import type { ConnectionPlaces } from "../parts/connection-places.ts";
import { disabledStatus } from "../parts/disabled-status.ts";
import { createStatusRedactor } from "../parts/redact.ts";
import { createSeenSecrets } from "../parts/seen-secrets.ts";
import { StartFailure } from "../parts/start-failure.ts";
import type { StoredList } from "../parts/stored-list.ts";
import { createSupervisor, type Supervisor } from "../parts/supervisor.ts";
import { createWire } from "../parts/wire-line.ts";
import { toStatus } from "../source.ts";
import type { AskToken, Tokens } from "../token-port.ts";
import type { Connection } from "./connection.ts";
import { createPeer, type OwnedPeer } from "./create-peer.ts";
import { MCP_LIMITS, type McpLimits } from "./limits.ts";
import { type ListedEntry, RefusedList } from "./list-tools.ts";
import { createAskedTokens } from "./oauth/asked-tokens.ts";
import { createLoginStore } from "./oauth/login-store.ts";
import { createTokens } from "./oauth/tokens.ts";
import { createOpener } from "./open-server.ts";
import { createResting, type Resting } from "./rest-when-idle.ts";
import { type Endpoint, hasCredentials, type McpServerSpec, readEndpoint } from "./server-spec.ts";
import { toRefusal } from "./source-status.ts";
import { fetcherOf, startTimeoutOf } from "./start-time.ts";
import { createToolList, type ToolList } from "./tool-list.ts";
import { createWishes, type Wishes } from "./wishes.ts";

export interface McpSourceOptions {
  /** The key under `mcpServers`. */
  readonly name: string;
  readonly server: McpServerSpec;
  /** Folder in which a process starts if its entry names none. */
  readonly cwd: string;
  /**
   * Environment of which a process inherits what its entry allows, in addition to the variables that the entry sets.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives every message, one line each, without secrets. */
  readonly wire?: ((text: string) => void) | undefined;
  /** Toolcrib's version, sent to servers. */
  readonly version?: string;
  /** What proves who asks, in place of a login of this machine; closed with the source. */
  readonly tokens?: Tokens | undefined;
  /** Folder in which logins are stored; without it none is used. */
  readonly logins?: string;
  /** Asks somebody for a token if the server needs one and no login of that folder helps. */
  readonly askToken?: AskToken | undefined;
  /** What it listed when it last ran, shown until it is connected. */
  readonly stored?: StoredList;
  /** Where its connections take places, if it rests while nobody uses it. */
  readonly places?: ConnectionPlaces | undefined;
  /**
   * Called before every start: variables that a process gets besides its own, which are secret. Throws a StartFailure if
   * it cannot be started for the person who uses it.
   */
  readonly prepare?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  /** Whether it starts only when somebody uses it, where all that it lists is known. */
  readonly startsAtRest?: boolean;
  readonly limits?: Partial<McpLimits>;
  readonly clock?: Clock;
  /** Where its lists are processed; the process's own queue if absent. */
  readonly background?: Background;
  /** From 0 to below 1, for jitter. */
  readonly random?: () => number;
  readonly spawn?: SpawnProcess;
  /** Called before every start of a process: why it must not be started now, as a clause that follows "because". */
  readonly refuses?: () => string | null;
}

/** An entry combined with the session's settings. */
export interface ServerSetup {
  readonly name: string;
  readonly spec: McpServerSpec;
  readonly endpoint: Endpoint;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly tokens: Tokens | null;
  readonly env: Readonly<Record<string, string>>;
  readonly heldBack: readonly string[];
  readonly redact: (text: string) => string;
  readonly isDisabled: boolean;
  /** Called before every start. */
  readonly prepare: () => Promise<ReadonlyMap<string, string>>;
}

export function readSetup({ name, server: spec, clock = SYSTEM_CLOCK, ...options }: McpSourceOptions): ServerSetup {
  const endpoint = readEndpoint(name, spec);
  const given: McpLimits = { ...MCP_LIMITS, ...options.limits };
  const limits = { ...given, startTimeout: startTimeoutOf(spec, endpoint, given.startTimeout) };
  const tokens = openTokens(name, endpoint, options);
  const { env, heldBack } = buildServerEnv(options.env, spec.env, spec.inheritEnv);
  const redactSpec = createStatusRedactor(spec, secretsIn(env));
  const seen = createSeenSecrets();
  const redact = (text: string): string => {
    const clean = seen.hide(redactSpec(text));
    return tokens?.hide(clean) ?? clean;
  };
  const prepare = async (): Promise<ReadonlyMap<string, string>> => {
    const variables = await options.prepare?.();
    for (const value of variables?.values() ?? []) seen.add(value);
    return variables ?? NO_VARIABLES;
  };
  return {
    prepare,
    name,
    spec,
    endpoint,
    limits,
    clock,
    tokens,
    env,
    heldBack,
    redact,
    isDisabled: spec.enabled === false,
  };
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/** Tokens for a remote server whose entry has no credentials of its own. */
function openTokens(
  name: string,
  endpoint: Endpoint,
  { tokens, logins, askToken }: Pick<McpSourceOptions, "tokens" | "logins" | "askToken">,
): Tokens | null {
  if (tokens !== undefined) return tokens;
  if (endpoint.kind === "stdio" || hasCredentials(endpoint.headers)) return null;
  const { url: server } = endpoint;
  const stored = logins === undefined ? null : createTokens({ server, store: createLoginStore(logins, server) });
  return askToken === undefined ? stored : createAskedTokens({ name, server, ask: askToken, stored });
}

export interface ServerParts {
  readonly supervisor: Supervisor<Connection>;
  readonly list: ToolList;
  readonly owned: OwnedPeer;
  readonly breaker: CallBreaker;
  readonly wishes: Wishes;
  readonly memory: Remembered;
  /** Null for one that runs all the time. */
  readonly resting: Resting | null;
}

export function assemble(setup: ServerSetup, options: McpSourceOptions, onChange: () => void): ServerParts {
  const { name, spec, endpoint, limits, clock, tokens, env, redact, isDisabled, prepare } = setup;
  const { background = BACKGROUND } = options;
  const earlier = isDisabled ? undefined : options.stored?.earlier?.tools;
  const fetcher = fetcherOf(endpoint);
  const memory = createMemory(options.stored);
  const wishes = createWishes();
  const breaker = createCallBreaker(limits, clock, (retryIn) => toRefusal(name, retryIn), onChange);
  const { places } = options;
  const resting =
    places === undefined
      ? null
      : createResting({
          ...{ places, clock, connection: () => supervisor.connection },
          isFollowed: () => wishes.uris.length > 0,
          // Without a list there is nothing by which it could be used, so it goes on trying.
          rest: () => list.known && supervisor.rest(),
        });
  const owned = createPeer({
    timeout: spec.timeout ?? limits.callTimeout,
    clock,
    limits,
    wishes,
    current: () => supervisor.connection,
    definitionOf: (tool) => list.definitionOf(tool),
    during: resting?.during ?? ((work) => work()),
    earlier: options.stored?.earlier?.capabilities ?? null,
    breaker,
    ready: (signal) => supervisor.ready(signal),
  });
  const list: ToolList = createToolList({
    about: { server: name, group: spec.group ?? null, defer: spec.defer ?? "auto", timeout: spec.timeout ?? null },
    limits,
    clock,
    background,
    connection: () => supervisor.connection,
    onChange,
    ...(earlier === undefined ? {} : { earlier }),
    onListed: (listed) => memory.noteListed(listed, supervisor.connection !== null),
  });
  const open = createOpener({
    ...{ server: name, endpoint, spec, cwd: options.cwd, env, limits, clock, background, redact, tokens },
    spawn: options.spawn ?? spawnProcess,
    refuses: options.refuses ?? (() => null),
    version: options.version ?? "0",
    onWire: createWire(`mcp ${name}`, redact, options.wire),
    onNotification(method, params) {
      if (method === "notifications/tools/list_changed") list.announceChange();
      owned.emit(method, params);
    },
    subscribed: () => wishes.uris,
    attached: owned.attached,
  });
  const supervisor: Supervisor<Connection> = createSupervisor({
    ...{ name, limits, clock, onChange },
    random: options.random ?? Math.random,
    initial: isDisabled ? disabledStatus(spec.disabledBy) : toStatus("starting", null),
    async open(signal, note) {
      const variables = await prepare();
      const start = async () => withList(await open(signal, note, variables), list, signal);
      return resting === null ? start() : resting.open(start);
    },
    hasList: () => list.known,
    meanwhile: fetcher === null ? null : `${fetcher} may be downloading`,
    firstWait: limits.startTimeout,
    onConnected: (connection) => {
      memory.noteConnected(connection);
      breaker.reset();
      owned.remember(connection);
      wishes.renew(connection);
    },
  });
  return { supervisor, list, owned, breaker, wishes, memory, resting };
}

/** What a server reported about itself, in this start or an earlier one. */
interface Remembered {
  readonly instructions: string | null;
  noteListed(listed: readonly ListedEntry[], isConnected: boolean): void;
  noteConnected(about: Pick<Connection, "instructions" | "capabilities">): void;
}

function createMemory(stored: StoredList | undefined): Remembered {
  let instructions = stored?.earlier?.instructions ?? null;
  let capabilities = stored?.earlier?.capabilities ?? null;
  let tools: readonly string[] | null = null;
  return {
    get instructions() {
      return instructions;
    },
    noteListed(listed, isConnected) {
      tools = listed.map(({ text }) => text);
      // Until the first start is complete, the server's instructions are unknown.
      if (isConnected) stored?.save({ tools, instructions, capabilities });
    },
    noteConnected(about) {
      ({ instructions, capabilities } = about);
      if (tools !== null) stored?.save({ tools, instructions, capabilities });
    },
  };
}

/** The connection once its tools are listed; closed if they cannot be. */
async function withList(connection: Connection, list: ToolList, signal: AbortSignal): Promise<Connection> {
  const letGo = onAbort(signal, () => void connection.close());
  try {
    await list.load(connection, signal);
    return connection;
  } catch (error) {
    await connection.close();
    const { reason } = await connection.lost;
    const trouble = isToolcribError(error) ? `could not be used: ${error.message}` : "did not list its tools";
    const isItsList = reason === null && error instanceof RefusedList;
    const next = isItsList ? "Update the server, or tell whoever makes it that its list cannot be used." : null;
    const needsAuth = connection.refusal !== null;
    throw new StartFailure(reason ?? trouble, { stderr: connection.readStderr(), needsAuth, next });
  } finally {
    letGo();
  }
}
