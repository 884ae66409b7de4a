import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

/** Every benchmark by the heading under which its table stands in the README beside this file. */
const BENCHMARKS = /** @type {const} */ ([
  ["Visibility", "./visibility.bench.mjs"],
  ["Sources", "./sources.bench.mjs"],
  ["Search", "./search.bench.mjs"],
  ["Executor", "./executor.bench.mjs"],
  ["Gateway", "./gateway.bench.mjs"],
  ["Clients", "./clients.bench.mjs"],
  ["Fairness", "./fairness.bench.mjs"],
  ["Rules", "./rules.bench.mjs"],
  ["Growth", "./growth.bench.mjs"],
  ["Asking", "./asking.bench.mjs"],
  ["Guard", "./guard.bench.mjs"],
  ["Install", "./install.bench.mjs"],
  ["Start", "./first-second.bench.mjs"],
  ["Store", "./store.bench.mjs"],
  ["Loop", "./loop.bench.mjs"],
  ["Code", "./code.bench.mjs"],
  ["Machines", "./machines.bench.mjs"],
  ["People", "./people.bench.mjs"],
  ["Audit", "./audit.bench.mjs"],
  ["Filters", "./filters.bench.mjs"],
  ["Limits", "./limits.bench.mjs"],
  ["Rehearsal", "./rehearsal.bench.mjs"],
  ["Copilot", "./copilot.bench.mjs"],
  ["Apps", "./apps.bench.mjs"],
  ["Soak", "./soak.bench.mjs"],
]);

// Node 20 reads such certificates at each start, which takes three times as long as the start: every floor would be too high.
process.env.NODE_EXTRA_CA_CERTS = "";

const README = fileURLToPath(new URL("./README.md", import.meta.url));
const given = process.argv.slice(2);
const wanted = given.filter((word) => word !== "--no-write");
let readme = readFileSync(README, "utf8");
let missed = 0;
for (const [heading, file] of BENCHMARKS) {
  if (wanted.length > 0 && !wanted.includes(heading.toLowerCase())) continue;
  console.error(`${heading}: running`);
  const { run } = await import(file);
  /**
   * `ratio` is null where what a row compares with is not there.
   * @type {{ name: string, measured: string, ratio: number | null, limit: number }[]}
   */
  const rows = await run();
  const lines = rows.map(({ name, measured, ratio, limit }) => {
    if (ratio === null) return `| ${name} | ${measured} | – | ${limit} | not measured |`;
    const held = ratio <= limit;
    if (!held) missed += 1;
    return `| ${name} | ${measured} | ${ratio.toFixed(2)} | ${limit} | ${held ? "yes" : "**no**"} |`;
  });
  const table = ["| what | measured | ratio | at most | held |", "|---|---|---|---|---|", ...lines].join("\n");
  console.log(`${heading}\n${table}\n`);
  const note = `Node ${process.versions.node}, ${cpus().length} cores, ${process.platform} ${process.arch}`;
  readme = readme.replace(
    new RegExp(`(<!-- ${heading} -->\n)[^]*?(<!-- /${heading} -->)`),
    (_all, open, close) => `${open}${table}\n\n${note}.\n${close}`,
  );
}
if (wanted.length === given.length) writeFileSync(README, readme);
if (missed > 0) {
  console.error(`${missed} limits were missed`);
  process.exitCode = 1;
}
// Clients of others keep sockets and timers of their own.
process.exit();
