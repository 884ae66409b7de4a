import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { BIN, startCli } from "./built-cli.ts";
import { type CliOptions, type CliResult, createMachine, runCli } from "./run-cli.ts";

/** A machine on which nobody has configured anything but what these files say. */
export function newMachine(files: Readonly<Record<string, string>> = {}) {
  const machine = createMachine(files);
  const env = {
    HOME: machine.home,
    XDG_CONFIG_HOME: "",
    XDG_STATE_HOME: "",
    XDG_RUNTIME_DIR: "",
    COPILOT_HOME: "",
    TOOLCRIB_POLICY: "",
    TOOLCRIB_TOKEN: "",
  };
  return { ...machine, env, bin: BIN };
}

/** Shorter than a test may take, so that anyone who waits in vain learns what was said instead. */
const PATIENCE = 50_000;

export interface RunningUp {
  /** What it printed about itself. */
  readonly document: {
    readonly pid: number;
    readonly endpoint: string;
    readonly inspector: string;
    readonly token: string;
    readonly servers: readonly string[];
    readonly notStarted: readonly { readonly name: string }[];
    readonly configuration: { readonly from: string };
    readonly audit: string;
  };
  /** Resolves when it has said something on stderr that fits. */
  says(pattern: RegExp): Promise<string>;
  connect(query?: string, token?: string): Promise<Client>;
  /** As Ctrl-C does, and resolves when everything is closed. */
  end(): Promise<void>;
}

export interface UpProcess extends RunningUp {
  readonly child: ChildProcess;
  /** Everything that it has printed so far, on both streams. */
  said(): string;
  /** Sends a signal and resolves when the process has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

type Machine = Pick<ReturnType<typeof newMachine>, "cwd" | "env">;

/** A command in this process, which takes a twentieth of the time of one of its own. */
export function runHere(argv: readonly string[], { cwd, env }: Machine, options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, { ...options, cwd, env: { ...(process.env as Record<string, string>), ...env } }); // Only what is set is listed.
}

/** `toolcrib up --json` in this process, for tests of what it does while it runs. It ends with the test if not before. */
export async function startUp(machine: Machine, ...argv: readonly string[]): Promise<RunningUp> {
  const said = new Said();
  let stop = async (): Promise<void> => undefined;
  const running = runHere(["up", "--json", "--port", "0", ...argv], machine, {
    onOut: (text) => said.add("out", text),
    onErr: (text) => said.add("err", text),
    onInterrupt: (close) => {
      stop = close;
      return () => undefined;
    },
  });
  said.endsWith(running);
  let ending: Promise<void> | null = null;
  const end = (): Promise<void> => {
    ending ??= stop();
    return ending;
  };
  onTestFinished(end);
  return { ...(await describe(said)), end };
}

/** `toolcrib up --json` in a process of its own, for what becomes of a process. It ends with the test if not before. */
export async function startUpProcess({ cwd, env }: Machine, ...argv: readonly string[]): Promise<UpProcess> {
  const port = argv.includes("--port") ? [] : ["--port", "0"];
  const child = startCli(["up", "--json", ...port, ...argv], { cwd, env });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const said = new Said();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => said.add("out", text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => said.add("err", text));
  said.endsWith(ended);
  return {
    ...(await describe(said)),
    child,
    said: () => said.out + said.err,
    async end(signal = "SIGINT") {
      child.kill(signal);
      await ended;
    },
  };
}

/** What has arrived on both streams so far, for those who wait for a part of it. */
class Said {
  out = "";
  err = "";
  readonly #listeners = new Set<() => void>();
  readonly #end = new AbortController();

  add(stream: "out" | "err", text: string): void {
    this[stream] += text;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Nothing more comes when that is settled. */
  endsWith(end: Promise<unknown>): void {
    void end.catch(() => undefined).then(() => this.#end.abort());
  }

  until<T>(find: () => T | null): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find();
        if (found === null) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      const fail = (how: string): void => reject(new Error(`${how}:\n${this.out}\n${this.err}`));
      this.#listeners.add(look);
      setTimeout(() => fail("toolcrib did not say that"), PATIENCE).unref();
      look();
      const { signal } = this.#end;
      const end = (): void => fail("toolcrib ended before that");
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
  }
}

async function describe(said: Said): Promise<Omit<RunningUp, "end">> {
  const line = await said.until(() => (said.out.includes("\n") ? said.out.slice(0, said.out.indexOf("\n")) : null));
  const document: RunningUp["document"] = JSON.parse(line);
  return {
    document,
    says: (pattern) => said.until(() => pattern.exec(said.err)?.[0] ?? null),
    async connect(query = "", token = document.token) {
      const client = new Client({ name: "tester", version: "1" });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(document.endpoint + query), { requestInit }));
      onTestFinished(() => client.close().catch(() => undefined));
      return client;
    },
  };
}

export const names = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

/** Asks again whenever the list is said to have changed, until it is as expected. */
export async function listsUntil(client: Client, isRight: (tools: readonly string[]) => boolean): Promise<void> {
  const changed = new Set<() => void>();
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    for (const tell of changed) tell();
  });
  for (;;) {
    const next = new Promise<void>((resolve) => changed.add(resolve));
    if (isRight(await names(client))) return;
    await next;
  }
}
