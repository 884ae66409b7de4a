// `npm run soak`: the crash tests of the store with the full counts, from a seed of chance that is printed, and three
// machines that are killed in turn while 20 clients make 10,000 calls.
// TOOLCRIB_KILL_SEED=<number> goes back to what such a run found.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const TESTS = fileURLToPath(new URL("./test.mjs", import.meta.url));
const seed = process.env.TOOLCRIB_KILL_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const env = {
  ...process.env,
  TOOLCRIB_SOAK: "full",
  TOOLCRIB_KILLS: process.env.TOOLCRIB_KILLS ?? "100",
  TOOLCRIB_KILL_SEED: seed,
  TOOLCRIB_CLIENTS: process.env.TOOLCRIB_CLIENTS ?? "20",
  TOOLCRIB_CALLS: process.env.TOOLCRIB_CALLS ?? "10000",
  TOOLCRIB_MACHINE_KILLS: process.env.TOOLCRIB_MACHINE_KILLS ?? "20",
};
const files = ["test/store/crashes.test.ts", "test/e2e/machines.test.ts"];
const { status } = spawnSync(process.execPath, [TESTS, ...files], { stdio: "inherit", env });
process.exitCode = status ?? 1;
