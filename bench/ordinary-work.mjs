// What people wait for every day: the decision about an ordinary line, and the scan of a catalog.
import { defaultOrigin, sourced } from "../dist/core/codes/origin.js";
import { compileRules } from "../dist/core/rules/compile-rules.js";
import { decide } from "../dist/core/rules/decide.js";
import { parseRule } from "../dist/core/rules/rule.js";
import { scanDefinition } from "../dist/core/trust/scan-definition.js";
import { loadGrammar, newReadingTime, withTree } from "../dist/system/shell/grammar.js";
import { createShellReader } from "../dist/system/shell/read-command-line.js";
import { median, medianMs } from "./measure.mjs";
import { makeDefinitions } from "./workload.mjs";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
const ROUNDS = 15;

const LINES = [
  "git status --short",
  "git log --oneline -20 -- src/core",
  "git add -A && git commit -m 'Fix the parser' && git push origin main",
  "npm test -- --run src/a.test.ts 2>&1 | tail -40",
  "NODE_ENV=test npx vitest run --reporter=dot",
  "ls -la src | head -20",
  "cat package.json | jq '.scripts'",
  "grep -rn 'createSession' src --include=*.ts | wc -l",
  "find . -name '*.log' -mtime +7 -not -path './node_modules/*'",
  "sed -n '10,60p' src/index.ts",
  'for f in src/*.ts; do echo "$f"; wc -l < "$f"; done',
  "cd web && npm run build && cd ..",
  "docker compose logs --tail=100 api",
  "python3 scripts/check.py --verbose > /tmp/out.txt",
  "curl -sS https://example.com/health | jq -r .status",
  "rm -rf dist && mkdir -p dist/assets && cp -r public/. dist/assets",
];
const RULES = {
  allow: [
    "Bash(git status:*)",
    "Bash(git log:*)",
    "Bash(npm test:*)",
    "Bash(npx vitest:*)",
    "Bash(ls:*)",
    "Write(/tmp/**)",
  ],
  ask: ["Bash(git push:*)"],
  deny: ["Bash(rm -rf /:*)", "Read(.env)", "Bash(sudo:*)"],
};

/** The decision about ordinary lines, against what it takes at least: the grammar's reading of them. */
export async function measureLines() {
  const { read } = await createShellReader();
  const parser = await loadGrammar();
  const [allow, ask, deny] = [RULES.allow, RULES.ask, RULES.deny].map(toRules);
  const rules = compileRules({ allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] }, WORLD);
  const judge = () => {
    for (const text of LINES) {
      const subject = /** @type {const} */ ({ kind: "shell", line: read(text) });
      const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
      decide(call, rules, { ...WORLD, mode: "default", allowReadOnly: true });
    }
  };
  const parse = () => {
    for (const text of LINES) withTree(parser, text, newReadingTime(), (tree) => tree.rootNode.hasError);
  };
  return compare(
    () => repeat(20, judge),
    () => repeat(20, parse),
    LINES.length * 20,
  );
}

/** The scan of 1,000 tools, against writing them as JSON and making their characters comparable, which any scan has to do. */
export function measureScan() {
  let at = 0;
  const fresh = () =>
    // Not the same words again: what was seen before costs less, and numbers are all one word.
    makeDefinitions(1_000, 10).map(({ name, description = "", inputSchema }) => ({
      name,
      title: null,
      description: `${description} Part ${toLetters(at++)}.`,
      inputSchema,
      outputSchema: null,
      claims: { readOnly: false, harmless: false, closedWorld: false },
    }));
  const scan = (/** @type {ReturnType<typeof fresh>} */ definitions) => definitions.map(scanDefinition);
  const write = (/** @type {ReturnType<typeof fresh>} */ definitions) =>
    definitions.map((definition) => JSON.stringify(definition).normalize("NFKC"));
  return compare(
    () => medianMs(1, fresh, scan),
    () => medianMs(1, fresh, write),
    1_000,
  );
}

/** @param {number} number */
function toLetters(number) {
  return [...String(number)].map((digit) => "acegikmoqs"[Number(digit)]).join("");
}

/**
 * By turns, so that both have the same machine: it changes its speed, so that each turn has a ratio of its own.
 * @param {() => number} work @param {() => number} floor @param {number} count
 */
function compare(work, floor, count) {
  const times = Array.from({ length: ROUNDS }, () => [work(), floor()]).slice(3);
  const [ours, least] = [0, 1].map((at) => median(times.map((pair) => pair[at] ?? 0)) / count);
  const ratio = median(times.map(([own = 0, bare = 1]) => own / bare));
  return { ours: (ours ?? 0) * 1_000, least: (least ?? 0) * 1_000, ratio };
}

/** @param {number} times @param {() => void} work */
function repeat(times, work) {
  return medianMs(
    1,
    () => times,
    (count) => {
      for (let turn = 0; turn < count; turn++) work();
    },
  );
}

/** @param {readonly string[]} texts */
function toRules(texts) {
  return texts.map((text) => sourced(parseRule(text, defaultOrigin), defaultOrigin));
}
