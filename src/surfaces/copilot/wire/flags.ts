/** How a client has us started. */
export interface RpcFlags {
  /** Null: over standard input and output. Zero: any free port. */
  readonly port: number | null;
  readonly host: string;
  /** Calls run without a question. */
  readonly approvesAll: boolean;
  /** The variable that holds the client's token. */
  readonly tokenVariable: string | null;
  /** How much is said on standard error. */
  readonly logLevel: LogLevel;
  /** Milliseconds after which a session that nobody uses ends; null: never. */
  readonly idleTimeout: number | null;
  /** The inspector is wanted in front of it. */
  readonly inspects: boolean;
}

/** Each says what those before it say, and more. */
const LEVELS = ["none", "error", "warning", "info", "debug", "all"] as const;
type LogLevel = (typeof LEVELS)[number];

/** Whether something of one level is said where another is wanted. */
export function isSaid(level: LogLevel, wanted: LogLevel): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(wanted);
}

/** Flags of a person, which come before `--headless`; the true ones take a value. */
const OWN: ReadonlyMap<string, boolean> = new Map([
  ["--yolo", false],
  ["--allow-all", false],
  ["--allow-all-tools", false],
  ["--stdio", false],
  ["--port", true],
  ["--host", true],
  ["--log-level", true],
  ["--session-idle-timeout", true],
  ["--no-auto-update", false],
  ["--inspect", false],
]);

/** Flags of a client, behind `--headless`, that take a value. What it does not know an older server ignores, and so do we. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  "--port",
  "--host",
  "--log-level",
  "--auth-token-env",
  "--session-idle-timeout",
]);

/** The flags, or what is wrong with them: an unknown flag of a person is refused, one of a client is not. */
export function readFlags(argv: readonly string[]): RpcFlags | { readonly problem: string } {
  const given = new Map<string, string>();
  let isClients = false;
  for (let at = 0; at < argv.length; at += 1) {
    const [flag = "", inline] = splitFlag(argv[at] ?? "");
    if (flag === "--headless") {
      isClients = true;
      continue;
    }
    if (!isClients && !OWN.has(flag)) return { problem: `unknown option ${flag}` };
    const takesValue = isClients ? WITH_VALUE.has(flag) : OWN.get(flag) === true;
    if (takesValue && inline === undefined) at += 1;
    given.set(flag, takesValue ? (inline ?? argv[at] ?? "") : "");
  }
  const port = given.has("--stdio") ? null : readPort(given, isClients);
  if (Number.isNaN(port)) return { problem: `--port needs a number from 0 to 65535` };
  const level = given.get("--log-level") ?? "info";
  const logLevel = LEVELS.find((one) => one === level);
  if (logLevel === undefined && !isClients) return { problem: `--log-level needs one of ${LEVELS.join(", ")}` };
  return {
    port,
    host: given.get("--host") ?? "127.0.0.1",
    approvesAll: ["--yolo", "--allow-all", "--allow-all-tools"].some((flag) => given.has(flag)),
    tokenVariable: given.get("--auth-token-env") ?? null,
    logLevel: logLevel ?? "info",
    idleTimeout: readSeconds(given.get("--session-idle-timeout")),
    inspects: given.has("--inspect"),
  };
}

function splitFlag(word: string): readonly [string, string?] {
  const at = word.indexOf("=");
  return word.startsWith("--") && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

/** A client that names neither stdio nor a port listens on any; whoever calls `toolcrib rpc` means stdio. */
function readPort(given: ReadonlyMap<string, string>, isClients: boolean): number | null {
  const said = given.get("--port");
  if (said === undefined) return isClients ? 0 : null;
  const port = Number(said);
  return /^\d+$/.test(said) && port <= 65_535 ? port : Number.NaN;
}

/** Milliseconds; none and zero mean never. */
function readSeconds(said: string | undefined): number | null {
  const seconds = Number(said ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
}
