/** Everything a command may touch of its process, so that a test can run it without one. */
export interface Io {
  /** One place for answers; with `--json` nothing but one document goes there. */
  out(text: string): void;
  err(text: string): void;
  /** Standard input up to its end, or its first line; asked again, the same text. */
  readInput(until: "end" | "line"): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Width of the terminal; null when stdout is none. */
  readonly columns: number | null;
  /** Stdout is a terminal. */
  readonly isTTY: boolean;
  /** Somebody is there to answer a question: stdin and stderr are terminals. */
  readonly canAsk: boolean;
}

/** The real process. A reader that has had enough (`| head`) is no failure. */
export function createProcessIo(): Io {
  const { stdout, stderr, env } = process;
  const quit = (error: Error): void => {
    if ("code" in error && error.code === "EPIPE") process.exit();
    throw error;
  };
  let input: Promise<string> | null = null;
  stdout.on("error", quit);
  stderr.on("error", quit);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    readInput: (until) => {
      input ??= readInput(until);
      return input;
    },
    env,
    cwd: process.cwd(),
    columns: stdout.isTTY ? stdout.columns : null,
    isTTY: stdout.isTTY === true,
    get canAsk() {
      return process.stdin.isTTY === true && stderr.isTTY === true;
    },
  };
}

async function readInput(until: "end" | "line"): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (until === "line" && text.includes("\n")) break;
  }
  return until === "line" ? (text.split("\n", 1)[0] ?? "").trim() : text;
}
