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
  /** The inspector is to show it. */
  readonly inspects: boolean;
}

/** Each says what those before it say, and more. */
const LEVELS = ["none", "error", "warning", "info", "debug", "all"] as const;
type LogLevel = (typeof LEVELS)[number];

/** Whether something of one level is said where another is wanted. */
export function isSaid(level: LogLevel, wanted: LogLevel): boolean {
  return LEVELS.indexOf(level) <= LEVELS.indexOf(wanted);
}

/** Flags that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(["--port", "--host", "--log-level", "--session-idle-timeout"]);
const APPROVING = ["--yolo", "--allow-all", "--allow-all-tools"];
/** All that a person may give, in front of `--headless` or `--server`. */
const OWN: ReadonlySet<string> = new Set([...WITH_VALUE, ...APPROVING, "--stdio", "--no-auto-update", "--inspect"]);
/** One more of clients, behind it. What it does not know an older server ignores, and so do we. */
const TOKEN_VARIABLE = "--auth-token-env";

/**
 * Whether a client starts us as it starts its own runtime: with `--headless`, or, from Java and Rust, with `--server` and a
 * transport. Behind a command `--server` names a server.
 */
export function isClientStart(argv: readonly string[]): boolean {
  if (argv.includes("--headless")) return true;
  const next = argv[argv.indexOf("--server") + 1] ?? "--";
  const isBare = argv.includes("--server") && argv[0]?.startsWith("--") === true && next.startsWith("--");
  return isBare && argv.some((word) => /^--(?:stdio|port)(?:=|$)/.test(word));
}

/** The flags, or what is wrong with them: an unknown flag of a person is refused, one of a client is not. */
export function readFlags(argv: readonly string[]): RpcFlags | { readonly problem: string } {
  const given = new Map<string, string>();
  let isClients = false;
  for (let at = 0; at < argv.length; at += 1) {
    const [flag = "", inline] = splitFlag(argv[at] ?? "");
    if (flag === "--headless" || (flag === "--server" && isClientStart(argv))) {
      isClients = true;
      continue;
    }
    if (!isClients && !OWN.has(flag)) return { problem: `unknown option ${flag}` };
    const takesValue = WITH_VALUE.has(flag) || flag === TOKEN_VARIABLE;
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
    approvesAll: APPROVING.some((flag) => given.has(flag)),
    tokenVariable: given.get(TOKEN_VARIABLE) ?? null,
    logLevel: logLevel ?? "info",
    idleTimeout: readSeconds(given.get("--session-idle-timeout")),
    inspects: given.has("--inspect"),
  };
}

function splitFlag(word: string): readonly [string, string?] {
  const at = word.indexOf("=");
  return word.startsWith("--") && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

/** A client that names neither stdio nor a port listens on any; a person who calls `toolcrib rpc` means stdio. */
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
