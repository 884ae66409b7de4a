import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { BIN } from "../support/built-cli.ts";
import { type newMachine, runHere } from "../support/running-up.ts";

type Machine = Pick<ReturnType<typeof newMachine>, "env" | "cwd">;

export interface ConnectOptions {
  readonly cwd?: string;
  readonly argv?: readonly string[];
  /** What the client answers to `roots/list`; without them it has none. */
  readonly roots?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the client calls itself. */
  readonly name?: string;
}

/** A client with `toolcrib connect` as its command. What it started in the background ends with the test. */
export async function connectClient({ env, cwd: own }: Machine, options: ConnectOptions = {}) {
  const { cwd = own, argv = [], roots, name = "tester" } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, "connect", ...argv],
    cwd,
    env: { ...(process.env as Record<string, string>), ...env, ...options.env },
    stderr: "pipe",
  });
  let err = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const client = new Client({ name, version: "1" }, { capabilities: roots === undefined ? {} : { roots: {} } });
  if (roots !== undefined)
    client.setRequestHandler("roots/list", () => ({ roots: roots.map((path) => ({ uri: `file://${path}` })) }));
  endWithTest({ env, cwd });
  onTestFinished(() => client.close().catch(() => undefined));
  await client.connect(transport);
  return { client, transport, said: () => err };
}

const ending = new Set<string>();

/** Once for a machine, however many clients it has: last of all, because what is registered first is done last. */
function endWithTest({ env, cwd }: Machine): void {
  if (ending.has(env.HOME)) return;
  ending.add(env.HOME);
  onTestFinished(async () => {
    // One that runs in this process ends by itself.
    for (const { pid, workspace } of await statusOf({ env, cwd }, "--all"))
      if (pid !== process.pid) await runHere(["down", "--workspace", workspace], { env, cwd });
  });
}

export interface ShownStatus {
  readonly pid: number;
  readonly workspace: string;
  readonly version: string;
  readonly address: string | null;
  readonly differences: readonly string[];
  readonly clients: readonly { readonly label: string; readonly principal: string }[];
  readonly servers: readonly { readonly name: string; readonly state: string }[];
}

export async function statusOf({ env, cwd }: Machine, ...argv: readonly string[]): Promise<readonly ShownStatus[]> {
  const { out } = await runHere(["status", "--json", ...argv], { cwd, env });
  return JSON.parse(out).running;
}
