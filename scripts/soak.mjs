// `npm run soak [-- FILES]`: the tests of endurance with their full counts, from a seed of chance that is printed. A busy
// session is killed 200 times in SQLite and 200 times in PostgreSQL; 20 clients make 10,000 calls on three machines with
// one PostgreSQL, of which one is killed every 2 s; and whatever goes round less often in `npm test`. Then a day of use
// of 1,000,000 calls on one gateway, whose memory is not to grow; `npm run soak -- --calls COUNT` is such a day alone.
// TOOLCRIB_KILL_SEED=<number> goes back to what such a run found; the other variables below are the counts.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const seed = process.env.TOOLCRIB_KILL_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const env = {
  ...process.env,
  TOOLCRIB_SOAK: "full",
  TOOLCRIB_SOAK_TURNS: process.env.TOOLCRIB_SOAK_TURNS ?? "100",
  TOOLCRIB_KILLS: process.env.TOOLCRIB_KILLS ?? "200",
  TOOLCRIB_KILL_SEED: seed,
  TOOLCRIB_CLIENTS: process.env.TOOLCRIB_CLIENTS ?? "20",
  TOOLCRIB_CALLS: process.env.TOOLCRIB_CALLS ?? "10000",
  TOOLCRIB_KILL_EVERY: process.env.TOOLCRIB_KILL_EVERY ?? "2000",
};
const given = process.argv.slice(2);
const isDay = given[0] === "--calls";
const calls = isDay ? (given[1] ?? "") : "1000000";
if (!(Number(calls) >= 1_000)) throw new Error(`--calls takes a number of calls from 1000 on, not "${calls}"`);
const chosen = given.length > 0 ? given : findEndurance();
const files = isDay ? [] : chosen;
// One after the other: each of them is to have the machine for itself.
for (const file of files) {
  const { status } = spawnSync(process.execPath, [join(ROOT, "scripts", "test.mjs"), file], { stdio: "inherit", env });
  process.exitCode ||= status ?? 1;
}
if (isDay || given.length === 0) {
  if (!ensureReady(ROOT, { tools: true })) process.exit(1);
  const { status } = spawnSync(process.execPath, [join(ROOT, "bench", "run.mjs"), "soak"], {
    stdio: "inherit",
    env: { ...process.env, TOOLCRIB_SOAK_CALLS: calls },
  });
  process.exitCode ||= status ?? 1;
}

/** Tests that ask how often they go round. */
function findEndurance() {
  const asks = /support\/rounds\.ts|process\.env\.TOOLCRIB_(?:SOAK_TURNS|KILLS|CALLS)\b/;
  return ["src", "test"]
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith(".test.ts") && asks.test(readFileSync(join(ROOT, path), "utf8")));
}
