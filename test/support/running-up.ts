import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { BIN, startCli } from "./built-cli.ts";
import { createMachine } from "./run-cli.ts";

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

/** Shorter than a test may take, so that whoever waits in vain learns what was said instead. */
const PATIENCE = 50_000;

export interface RunningUp {
  readonly child: ChildProcess;
  /** What it printed about itself. */
  readonly document: {
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
  connect(query?: string): Promise<Client>;
  /** Sends a signal and resolves when the process has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** `toolcrib up --json` in a process of its own, which ends with the test if not before. */
export async function startUp(
  { cwd, env }: ReturnType<typeof newMachine>,
  ...argv: readonly string[]
): Promise<RunningUp> {
  const child = startCli(["up", "--json", "--port", "0", ...argv], { cwd, env });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let [out, err] = ["", ""];
  const listeners = new Set<() => void>();
  const note = (): void => {
    for (const listener of [...listeners]) listener();
  };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    note();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
    note();
  });
  const wait = <T>(find: () => T | null): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find();
        if (found === null) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      setTimeout(() => reject(new Error(`toolcrib did not say that:\n${out}\n${err}`)), PATIENCE).unref();
      void ended.then(() => reject(new Error(`toolcrib ended before that:\n${out}\n${err}`)));
      look();
    });
  const line = await wait(() => (out.includes("\n") ? out.slice(0, out.indexOf("\n")) : null));
  const document: RunningUp["document"] = JSON.parse(line);
  return {
    child,
    document,
    says: (pattern) => wait(() => pattern.exec(err)?.[0] ?? null),
    async connect(query = "") {
      const client = new Client({ name: "tester", version: "1" });
      const requestInit = { headers: { Authorization: `Bearer ${document.token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(document.endpoint + query), { requestInit }));
      onTestFinished(() => client.close().catch(() => undefined));
      return client;
    },
    async end(signal = "SIGINT") {
      child.kill(signal);
      await ended;
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
