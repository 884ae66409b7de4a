import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.mjs";

const BIN = fileURLToPath(new URL("../bin/toolcrib.js", import.meta.url));
const ROUNDS = 15;

/** How long a question takes beside a Toolcrib that runs. */
export async function run() {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-asking-"));
  const cwd = join(home, "work");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home };
  /** @param {readonly string[]} argv */
  const time = (argv) => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, argv, { cwd, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${argv.join(" ")}: ${stderr}`);
    return performance.now() - start;
  };
  try {
    time([BIN, "up", "--detach", "--port", "0"]);
    const floor = /** @type {number[]} */ ([]);
    const asked = /** @type {number[]} */ ([]);
    for (let round = 0; round < ROUNDS; round++) {
      floor.push(time(["-e", "0"]));
      asked.push(time([BIN, "why", "view"]));
    }
    const [base, own] = [median(floor), median(asked)];
    const measured = `${own.toFixed(0)} ms against ${base.toFixed(0)} ms of node -e 0`;
    return [{ name: "`why` beside a running Toolcrib", measured, ratio: own / base, limit: 3 }];
  } finally {
    spawnSync(process.execPath, [BIN, "down"], { cwd, env });
    rmSync(home, { recursive: true, force: true });
  }
}
