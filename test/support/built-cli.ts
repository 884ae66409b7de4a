import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureReady } from "../../scripts/setup.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const BIN = fileURLToPath(new URL("../../bin/toolcrib.js", import.meta.url));

/** These tests run the executable, so what it runs has to be built from the sources as they are. */
export function ensureBuilt(): void {
  // A whole run began with it.
  if (process.env.TOOLCRIB_TEST_BUILT === "1") return;
  if (!ensureReady()) throw new Error("the build failed; see above");
}

export interface Finished {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function startCli(argv: readonly string[], { cwd = ROOT, env = {} }: StartOptions = {}): ChildProcess {
  return spawn(process.execPath, [BIN, ...argv], { cwd, env: { ...process.env, ...env } });
}

export async function finish(child: ChildProcess): Promise<Finished> {
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, out, err }));
  });
}

/** The real executable in a process of its own, with its whole input given at once. */
export async function runBuilt(
  argv: readonly string[],
  options: StartOptions & { readonly stdin?: string } = {},
): Promise<Finished> {
  const child = startCli(argv, options);
  child.stdin?.on("error", () => undefined).end(options.stdin ?? "");
  return finish(child);
}
