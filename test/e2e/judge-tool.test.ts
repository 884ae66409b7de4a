import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newMachine, startUp } from "../support/running-up.ts";

const RULES = `permissions:
  deny: ["Bash(rm:*)"]
  ask: ["Bash(git push:*)"]
  allow: ["Bash(npm test)"]
gateway:
  clients: [{ name: other, token: other-token-of-this-test }]
`;

/** A running Toolcrib, and a client's hook that asks the tool `judge`. */
async function judging() {
  const machine = newMachine();
  const own = join(machine.home, ".config", "toolcrib");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "config.yaml"), RULES);
  const up = await startUp(machine);
  const client = await up.connect();
  const judge = async (args: Readonly<Record<string, unknown>>, asking = client) => {
    const { content } = await asking.callTool({ name: "judge", arguments: args });
    const [first] = content;
    return first?.type === "text" ? first.text : "";
  };
  const bash = (command: string, name = "claude-code") => ({
    ...{ client: name, tool: "Bash", cwd: machine.cwd, session: "s1", call: "c1", agent: "" },
    // Claude Code writes it as text, Codex as it is.
    input: name === "codex" ? { command } : JSON.stringify({ command }),
  });
  return { ...machine, up, client, judge, bash };
}

function decisionIn(text: string): string {
  return text === "" ? "pass" : JSON.parse(text).hookSpecificOutput.permissionDecision;
}

describe("a client's hook asks the gateway", () => {
  test("and is answered by the rules, in the client's form, and logged", async () => {
    const { judge, bash, up, home } = await judging();
    const commands = ["cd a && rm b", "git push", "npm test", "make all"];
    const answers = async (client: string) => {
      const found = [];
      for (const command of commands) found.push(decisionIn(await judge(bash(command, client))));
      return found;
    };
    expect(await answers("claude-code")).toEqual(["deny", "ask", "allow", "pass"]);
    // It takes neither a question nor an allow.
    expect(await answers("codex")).toEqual(["deny", "deny", "pass", "pass"]);
    expect(await judge(bash("rm b"))).toMatch(
      /is denied by the rule Bash\(rm:\*\) \(~\/\.config\/toolcrib\/config\.yaml:2\)/,
    );
    await up.end();
    const logs = join(home, ".local/state/toolcrib/audit");
    const rows = readdirSync(logs).flatMap((name) =>
      readFileSync(join(logs, name, "audit.jsonl"), "utf8")
        .trim()
        .split("\n"),
    );
    const judged = rows.map((row) => JSON.parse(row)).filter(({ type }) => type === "call.judged");
    expect(judged).toHaveLength(9);
    expect(judged[0]).toMatchObject({ client: "claude-code", session: "s1", call: "c1", tool: "Bash" });
  });

  test("which shows no list of that tool", async () => {
    const { client } = await judging();
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("judge");
  });

  test("and gets a no where nobody can say what it is about, and where the rules have a mistake", async () => {
    const { judge, bash, cwd } = await judging();
    for (const args of [
      {},
      { client: "cursor", tool: "Bash", input: "{}" },
      { ...bash("ls"), input: "{" },
      { ...bash("ls"), tool: "" },
    ])
      expect(decisionIn(await judge(args))).toBe("deny");
    writeFileSync(join(cwd, "toolcrib.yaml"), "permissions: { denny: [] }\n");
    expect(await judge(bash("ls"))).toContain('unknown key \\"denny\\"');
  });

  test("but nobody else does", async () => {
    const { up, bash } = await judging();
    const other = await up.connect("", "other-token-of-this-test");
    await expect(other.callTool({ name: "judge", arguments: bash("ls") })).rejects.toThrow("Unknown tool: judge");
  });
});
