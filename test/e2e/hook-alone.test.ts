import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt, finish, runBuilt } from "../support/built-cli.ts";
import { claudeEvent, createGuarded } from "../support/guarded-machine.ts";

beforeAll(ensureBuilt);

const RULES = 'permissions:\n  deny: ["Bash(rm:*)", "docs/delete", "/^drop_/(*)"]\n  allow: ["Bash(npm test)"]\n';

/** A machine on which no Toolcrib runs. */
function alone(rules = RULES) {
  const machine = createGuarded(rules);
  const { cwd, env, home, folder } = machine;
  const unset = { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", TOOLCRIB_POLICY: "", CLAUDE_CONFIG_DIR: "" };
  const hook = (client: string, stdin: string) =>
    runBuilt(["hook", client], { cwd, env: { ...env, ...unset, COPILOT_HOME: "", CODEX_HOME: "" }, stdin });
  const judged = () => {
    const logs = join(home, ".local/state/toolcrib/audit");
    return readdirSync(logs)
      .flatMap((name) =>
        readFileSync(join(logs, name, "audit.jsonl"), "utf8")
          .trim()
          .split("\n"),
      )
      .map((row) => JSON.parse(row))
      .filter(({ type }) => type === "call.judged")
      .map(({ tool, decision }) => `${tool} ${decision.decision} ${decision.origin}`);
  };
  return { ...machine, hook, judged, kept: () => readdirSync(join(folder, "kept")).map((name) => name.split(".")[1]) };
}

function toEvent(tool: string, input: object, cwd: string): string {
  return JSON.stringify({ hook_event_name: "PreToolUse", cwd, tool_name: tool, tool_input: input });
}

describe("where no Toolcrib runs", () => {
  test("a hook answers and logs the same by what earlier ones have kept", async () => {
    const { hook, judged, kept, cwd } = alone();
    const events = [
      toEvent("Bash", { command: "cd a && rm -rf b | tee c" }, cwd),
      toEvent("Bash", { command: "npm test" }, cwd),
      toEvent("Bash", { command: "make all" }, cwd),
      toEvent("Write", { file_path: join(cwd, ".git/hooks/pre-commit") }, cwd),
      toEvent("mcp__docs__delete", {}, cwd),
      toEvent("Odd", {}, cwd),
    ];
    const round = async () => {
      const answers = [];
      for (const event of events) answers.push(await hook("claude-code", event));
      return answers;
    };
    const [first] = [await hook("claude-code", events[0] ?? "")];
    // The policy, and the code of the commands that made it.
    expect(kept().toSorted()).toEqual(["code", "policy"]);
    const rounds = [await round(), await round()];
    expect(kept().toSorted()).toEqual(["code", "code", "policy"]);
    expect(rounds[1]).toEqual(rounds[0]);
    expect(rounds[0]?.[0]).toEqual(first);
    expect(rounds[0]?.map(({ out }) => /"permissionDecision":"(\w+)"/.exec(out)?.[1] ?? out)).toEqual([
      ...["deny", "allow", "", "ask", "deny", ""],
    ]);
    const rows = judged();
    expect(rows.slice(1, 7)).toEqual(rows.slice(7));
    expect(rows[0]).toBe(rows[1]);
  });

  test("a rule that has changed counts at once, and so does a mistake", async () => {
    const { hook, write, cwd } = alone();
    const command = () => hook("claude-code", claudeEvent("mv a b", cwd));
    for (const _ of [1, 2]) expect(await command()).toMatchObject({ status: 0, out: "" });
    write("user", RULES.replace("rm:*", "mv:*"));
    for (const _ of [1, 2]) expect((await command()).out).toContain("is denied by the rule Bash(mv:*)");
    write("user", "permissions:\n  denny: []\n");
    expect(await command()).toMatchObject({ status: 2, out: "" });
    write("user", RULES);
    expect(await command()).toMatchObject({ status: 0, out: "" });
  });

  test("many at once are all answered, with nothing kept before", async () => {
    const { start, cwd } = alone();
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        finish(start("claude-code", claudeEvent(at % 2 ? `rm ${at}` : `make ${at}`, cwd))),
      ),
    );
    // One that finds no time to answer says no.
    ends.forEach(({ status, out }, at) => {
      if (at % 2) expect(status === 2 || out.includes('"deny"')).toBe(true);
      else expect([0, 2]).toContain(status);
    });
  });
});
