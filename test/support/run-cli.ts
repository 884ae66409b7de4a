import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../../src/surfaces/cli/run.ts";
import type { Io } from "../../src/surfaces/cli/terminal/io.ts";
import { makeTempFolder } from "./temp-folder.ts";

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly isTTY?: boolean;
  /** What a person types; without it nobody is there to answer. */
  readonly types?: string | (() => string);
  readonly stdin?: string;
  readonly errIsTTY?: boolean;
  /** Told what comes while the command runs. */
  readonly onOut?: (text: string) => void;
  readonly onErr?: (text: string) => void;
  /** Takes who wants to read typed lines. */
  readonly onLine?: Io["onLine"];
  /** Takes who wants to hear of Ctrl-C. */
  readonly onInterrupt?: Io["onInterrupt"];
}

export interface CliResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in this process, on text in place of streams. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { cwd = "/", env = {}, columns, isTTY = false, types, stdin = "", errIsTTY = false } = options;
  let out = "";
  let err = "";
  let listener: ((line: string) => void) | null = null;
  const typed = (): string => (typeof types === "function" ? types() : (types ?? ""));
  const io: Io = {
    out: (text) => {
      out += text;
      options.onOut?.(text);
    },
    err: (text) => {
      err += text;
      options.onErr?.(text);
      if (text.endsWith("[N]o ")) queueMicrotask(() => listener?.(typed()));
    },
    readInput: async (until) => (until === "end" ? stdin : typed()),
    onLine:
      options.onLine ??
      ((take) => {
        listener = take;
        return () => {
          listener = null;
        };
      }),
    env,
    cwd,
    columns: columns ?? null,
    isTTY,
    errIsTTY,
    onInterrupt: options.onInterrupt ?? (() => () => {}),
    canAsk: types !== undefined,
  };
  const status = await run(argv, io);
  return { status, out, err };
}

/** What questions about tools say first on stderr, where no client is named. */
export const AS_RUN = 'As "toolcrib run" gets it; --client NAME for what a client gets.\n';

/** A home with a repository in it; the file `user` is that person's own configuration. */
export function createMachine(files: Readonly<Record<string, string>> = {}) {
  const home = makeTempFolder();
  const cwd = join(home, "work");
  const settings = join(home, ".config", "toolcrib");
  const write = (name: string, text: string): void => {
    const path = name === "user" ? join(settings, "config.yaml") : join(cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(join(cwd, ".git"), { recursive: true });
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { cwd, home, write, trusted: join(settings, "trusted.json") };
}

/** The calls in the log of a machine's workspace, as `toolcrib audit` gives them. */
export async function auditedCalls({ cwd, home }: Pick<ReturnType<typeof createMachine>, "cwd" | "home">) {
  const { out } = await runCli(["audit", "--json"], { cwd, env: { HOME: home } });
  const rows = out.split("\n").filter((line) => line !== "");
  return rows.map((line) => JSON.parse(line)).filter(({ type }) => type === "call");
}
