import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evalRules } from "../../src/surfaces/eval/rules/eval-rules.ts";
import { toRuleCase } from "../../src/surfaces/eval/rules/rule-case.ts";
import { needs } from "../support/machine.ts";
import { type Ground, makeGround, runInside, SECRET, WAYS } from "../support/sandbox-harness.ts";

const FIXTURES = new URL("../fixtures/security/", import.meta.url);
const DENIED = "denied-9c2e";
/** Loops of shells that wait, and services that stay, are cut off. */
const SECONDS = 5;

interface Line {
  readonly rule: string;
  readonly command: string;
}

/** Every line that leaves a prefix rule where no sandbox is: of the corpus, and our own. */
function attacks(): readonly Line[] {
  const corpus = readFileSync(new URL("shell-cases-3.jsonl", FIXTURES), "utf8").trim().split("\n");
  const cases = corpus.map((line) => toRuleCase(line, "")).filter(({ category }) => category === "prefix-escape");
  const own: Record<"escapes", Record<string, readonly string[]>> = JSON.parse(
    readFileSync(new URL("prefix-attacks.json", FIXTURES), "utf8"),
  );
  return [
    ...cases.map(({ command, rules }) => ({ command, rule: rules.allow[0] ?? "" })),
    ...Object.entries(own.escapes).flatMap(([rule, lines]) => lines.map((command) => ({ command, rule }))),
  ];
}

/** Those that run without a question in a sandbox that hides what must not be read. */
async function allowedInside(): Promise<readonly Line[]> {
  const all = attacks();
  const rows = all.map(({ command, rule }, at) => {
    const rules = { allow: [rule], ask: [], deny: ["Read(.env)"] };
    return JSON.stringify({ id: String(at), command, rules, context: { sandbox: true } });
  });
  const allowed = new Set<number>();
  const onDecision: Parameters<typeof evalRules>[0]["onDecision"] = (id, { decision }) => {
    if (decision === "allow") allowed.add(Number(id));
  };
  await evalRules({ text: rows.join("\n"), file: "attacks", now: () => 0, onDecision });
  return all.filter((_, at) => allowed.has(at));
}

function programOf({ rule }: Line): string {
  return /^Bash\(([^ :]+)/.exec(rule)?.[1] ?? "";
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("bash", ["-c", 'command -v -- "$1"', "-", program], { stdio: "ignore" });
    return !program.startsWith("./");
  } catch {
    return false;
  }
}

/** Everything that a line could change or add around the workspace. */
function around({ home, outside }: Ground): string {
  return [home, outside]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .map((path) => `${path} ${statSync(path).isFile() ? readFileSync(path, "utf8") : ""}`)
    .sort()
    .join("\n");
}

/** What the lines name as theirs: each tries to leave a mark outside and to show what it must not. */
function plant({ workspace }: Ground): void {
  writeFileSync(join(workspace, ".env"), DENIED);
  const script = '#!/bin/sh\necho x > "$OUTSIDE/mark"\necho x >> "$HOME/.bashrc"\ncat .env "$HOME/.ssh/id"\n';
  for (const name of ["evil", "evil.sh", "x"]) {
    writeFileSync(join(workspace, name), script);
    chmodSync(join(workspace, name), 0o755);
  }
  writeFileSync(join(workspace, "evil.js"), 'require("fs").writeFileSync(process.env.OUTSIDE + "/mark", "x")\n');
  writeFileSync(join(workspace, "evil.py"), 'import os\nopen(os.environ["OUTSIDE"] + "/mark", "w")\n');
}

describe("a line that leaves its prefix rule and runs in the sandbox", needs("bwrap", "bash"), () => {
  test("changes nothing outside and shows nothing that is denied", { timeout: 300_000 }, async () => {
    const lines = await allowedInside();
    const installed = lines.filter((line) => isInstalled(programOf(line)));
    const missing = [...new Set(lines.filter((line) => !installed.includes(line)).map(programOf))].sort();
    const [way] = WAYS;
    if (way === undefined) throw new Error("there is no way to run");
    const ground = makeGround(way);
    plant(ground);
    const before = around(ground);
    const harmful: string[] = [];
    for (const { command } of installed) {
      const line = command.replaceAll("/home/dev", ground.home);
      const script = `timeout ${SECONDS} bash --norc -c "$LINE" < /dev/null; echo RAN`;
      const { output } = await runInside(way, ground, script, { env: { LINE: line }, deny: ["Read(.env)"] });
      const isHarmful = output.includes(SECRET) || output.includes(DENIED) || around(ground) !== before;
      if (isHarmful || !output.includes("RAN")) harmful.push(command);
    }
    console.info(`${installed.length} lines ran, ${lines.length - installed.length} need: ${missing.join(" ")}`);
    expect(harmful).toEqual([]);
    expect(installed.length).toBeGreaterThan(20);
  });
});
