import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { BIN, ensureBuilt } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";

beforeAll(ensureBuilt, 300_000);

/** Runs a command in a terminal of its own. */
const TERMINAL = ["script"].join();

/** Runs the executable in a terminal of its own, and types the answer once it is asked. */
async function inTerminal(argv: readonly string[], answer: string, rules: string) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-terminal-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, "work");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  writeFileSync(join(home, "rules.yaml"), rules);
  const quoted = [process.execPath, BIN, ...argv, "--config", join(home, "rules.yaml")].map(
    (word) => `'${word.replaceAll("'", `'\\''`)}'`,
  );
  const child = spawn(TERMINAL, ["-qec", quoted.join(" "), "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, TERM: "xterm" },
  });
  let shown = "";
  let isAnswered = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    if (isAnswered || !shown.includes("[N]o")) return;
    isAnswered = true;
    child.stdin.write(`${answer}\n`);
  });
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, shown: shown.replaceAll("\r", ""), cwd, home };
}

const RULES = 'permissions:\n  ask:\n    - "Bash(mkdir:*)"\nsandbox: { allowHostShell: true }\n';
const call = (command: string) => ["call", "bash", "--args", JSON.stringify({ command })];

test("on a terminal a person sees the parts of a line, where the rule stands and what would be kept, and decides", {
  ...needs("script", "bash"),
  timeout: 120_000,
}, async () => {
  const line = "touch made && echo $(mkdir asked)";
  const no = await inTerminal(call(line), "n", RULES);
  expect(no.status).toBe(1);
  expect(no.shown).toContain("bash (built-in) wants to run with");
  expect(no.shown).toMatch(/the rule .* asks about\s+"mkdir asked"\s+\(.*rules\.yaml:3\)/);
  expect(no.shown).toMatch(/ask {4}"touch made": no allow rule covers it/);
  expect(existsSync(join(no.cwd, "made"))).toBe(false);
  const kept = await inTerminal(call("touch made"), "n", RULES);
  expect(kept.shown).toContain("for longer than once: Bash(touch made)");
});

test("a yes runs it once, and always for me is kept as the rule that was shown", {
  ...needs("script", "bash"),
  timeout: 120_000,
}, async () => {
  const once = await inTerminal(call("touch made"), "y", RULES);
  expect([once.status, existsSync(join(once.cwd, "made"))]).toEqual([0, true]);
  expect(existsSync(join(once.home, ".config/toolcrib/grants.json"))).toBe(false);
  const always = await inTerminal(call("touch made"), "m", RULES);
  expect(always.status).toBe(0);
  const listed = spawnSync(process.execPath, [BIN, "grants", "--json"], {
    cwd: always.cwd,
    env: { PATH: process.env.PATH, HOME: always.home },
    encoding: "utf8",
  });
  expect(JSON.parse(listed.stdout).grants).toMatchObject([{ scope: "user", rules: ["Bash(touch made)"] }]);
});
