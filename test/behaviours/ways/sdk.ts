import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Observed, Way } from "../behaviour.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CACHE = join(ROOT, "node_modules", ".cache");
/** Where `scripts/copilot-clients.mjs` puts the packages. */
const NPM = join(CACHE, "copilot-sdk-1.0.14", "node_modules", "@github", "copilot-sdk");
const PYPI = join(CACHE, "copilot-wheels", "1.0.27");

/** An app that uses a published package of the Copilot SDK, with the build of this checkout as its runtime. */
function createSdkWay(name: string, command: string, file: string, env: Readonly<Record<string, string>>): Way {
  let driver: { readonly child: ChildProcess; next(): Promise<string>; words: string } | null = null;
  return {
    name,
    async run(app, place) {
      driver ??= start(command, file, env);
      driver.child.stdin?.write(`${JSON.stringify({ app, place })}\n`);
      const seen: Omit<Observed, "requests"> & { readonly failure?: string } = JSON.parse(await driver.next());
      if (seen.failure !== undefined) throw new Error(`${name}: ${seen.failure}${driver.words}`);
      return seen;
    },
    async close() {
      const child = driver?.child;
      if (child === undefined || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin?.end();
      await ended;
    },
  };
}

function start(command: string, file: string, env: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), "behaviours-"));
  const own = { COPILOT_CLI_PATH: join(ROOT, "bin", "toolcrib.js"), COPILOT_HOME: home, HOME: home };
  const script = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(command, [script], { cwd: home, env: { ...process.env, ...own, ...env } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const driver = {
    child,
    words: "",
    async next() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${file} has ended: ${driver.words}`);
      return String(value);
    },
  };
  child.stderr.on("data", (data) => (driver.words += String(data)));
  return driver;
}

const TYPESCRIPT = createSdkWay("SDK for TypeScript", process.execPath, "sdk-typescript.mjs", { COPILOT_SDK: NPM });
const PYTHON = createSdkWay("SDK for Python", "python3", "sdk-python.py", {
  ...{ PYTHONPATH: PYPI, PYTHONDONTWRITEBYTECODE: "1" },
});

export const SDK_WAYS: readonly { readonly id: string; readonly way: Way; readonly isHere: boolean }[] = [
  { id: "typescript", way: TYPESCRIPT, isHere: existsSync(NPM) },
  { id: "python", way: PYTHON, isHere: existsSync(join(PYPI, "installed")) },
];
