// `npm run soak`: the crash tests of the store with the full counts, from a seed of chance that is printed.
// TOOLCRIB_KILL_SEED=<number> goes back to what such a run found.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const TESTS = fileURLToPath(new URL("./test.mjs", import.meta.url));
const seed = process.env.TOOLCRIB_KILL_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const env = { ...process.env, TOOLCRIB_KILLS: process.env.TOOLCRIB_KILLS ?? "100", TOOLCRIB_KILL_SEED: seed };
const { status } = spawnSync(process.execPath, [TESTS, "test/store/crashes.test.ts"], { stdio: "inherit", env });
process.exitCode = status ?? 1;
