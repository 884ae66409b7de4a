// What the first piece of work costs in a process of its own, against a process that does nothing.
import { spawnSync } from "node:child_process";
import { median } from "./measure.mjs";

const ROUNDS = 9;
const CPU = "const { user, system } = process.cpuUsage(); console.log(user + system);";

const MODULES = new URL("../dist/", import.meta.url);

/** The decision about one line, with everything that has to be loaded for it. */
const FIRST_LINE = `
const { defaultOrigin } = await import("DIST/core/codes/origin.js");
const { compileRules } = await import("DIST/core/rules/compile-rules.js");
const { decide } = await import("DIST/core/rules/decide.js");
const { parseRule } = await import("DIST/core/rules/rule.js");
const { createShellReader } = await import("DIST/system/shell/read-command-line.js");
const world = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
const toRules = (...texts) => texts.map((text) => ({ value: parseRule(text, defaultOrigin), origin: defaultOrigin }));
const rules = compileRules({ allow: toRules("Bash(npm test:*)"), ask: [], deny: toRules("Bash(sudo:*)") }, world);
const { read } = await createShellReader();
const subject = { kind: "shell", line: read("npm test -- --run src/a.test.ts 2>&1 | tail -40") };
const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
decide(call, rules, { ...world, mode: "default", allowReadOnly: true });
`;

/** The scan of 1,000 tools. */
const SCAN = `
const { scanDefinition } = await import("DIST/core/trust/scan-definition.js");
const { makeDefinitions } = await import("BENCH/workload.mjs");
const claims = { readOnly: false, harmless: false, closedWorld: false };
for (const { name, description = "", inputSchema } of makeDefinitions(1_000, 10))
  scanDefinition({ name, title: null, description, inputSchema, outputSchema: null, claims });
`;

/** @param {string} work @param {URL} modules */
function cpuOf(work, modules) {
  const text = `${work.replaceAll("DIST/", modules.href).replaceAll("BENCH/", new URL(".", import.meta.url).href)}${CPU}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout.trim().split("\n").at(-1));
}

/** @param {string} work @param {URL} modules */
function measure(work, modules) {
  const [ours, least] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(cpuOf(work, modules));
    least.push(cpuOf("", modules));
  }
  return { ours: median(ours), least: median(least), ratio: median(ours) / median(least) };
}

/** @param {URL} [modules] */
export function measureFirstLine(modules = MODULES) {
  return measure(FIRST_LINE, modules);
}

/** @param {URL} [modules] */
export function measureFirstScan(modules = MODULES) {
  return measure(SCAN, modules);
}
