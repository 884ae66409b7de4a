import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const CONFIG = ".config/toolcrib/config.yaml";
const CLAUDE = `{
  "permissions": {
    "allow": ["Bash(git log:*)", "Bash(git push:*)", "WebFetch(domain:docs.rs)"],
    "deny": ["Bash(rm:*)"]
  }
}
`;
const CODEX = `prefix_rule(pattern=["git", "push"], decision="prompt")
prefix_rule(pattern=["cargo", "test"])
if True: pass
`;

function createHome(files: Readonly<Record<string, string>> = {}) {
  const { cwd, home, write } = createMachine();
  const own = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  own(".claude/settings.json", CLAUDE);
  own(".codex/rules/default.rules", CODEX);
  for (const [file, text] of Object.entries(files)) own(file, text);
  const env = { HOME: home };
  const cli = (...argv: readonly string[]) => runCli(["init", "--rules", ...argv], { cwd, env });
  const read = (file = CONFIG) => (existsSync(join(home, file)) ? readFileSync(join(home, file), "utf8") : null);
  return { cwd, home, write, own, cli, read, env };
}

describe("toolcrib init --rules", () => {
  test("shows what it would write, where clients disagree, what they let through, and what it leaves out", async () => {
    const { cli, read } = createHome();
    const { status, out } = await cli("--dry-run");
    expect(status).toBe(0);
    expect(out).toContain("Would write 6 rules into ~/.config/toolcrib/config.yaml");
    expect(out).toContain("+     - Bash(git log:*) # ~/.claude/settings.json:3");
    expect(out).toContain(
      "  git push: Claude Code allows it (~/.claude/settings.json:3), Codex asks (~/.codex/rules/default.rules:1); together: ask",
    );
    expect(out).toMatch(
      /Claude Code 2\.1\.197, Bash\(git log:\*\) .*: git log --output=notes\.txt; Toolcrib asks: writing/,
    );
    expect(out).toMatch(/does not stop[^\n]*\n {2}Claude Code 2\.1\.197, Bash\(rm:\*\) .*\/usr\/bin\/rm \|/);
    expect(out).not.toContain("env rm");
    expect(out).toContain("allow Bash(git push:*) (~/.claude/settings.json:3): ask Bash(git push:*)");
    expect(out).toContain("Codex: a statement (~/.codex/rules/default.rules:3): it is no rule with plain values");
    expect(read()).toBeNull();
  });

  test("writes only after a yes, keeps comments, and is done the second time", async () => {
    const mine = "# mine\nagent: null # none\npermissions:\n  deny:\n    # never\n    - Bash(rm:*)\n";
    const { cli, read } = createHome({ [CONFIG]: mine });
    const refused = await cli();
    expect(refused).toMatchObject({ status: 2, err: expect.stringContaining("run it again with --yes") });
    expect(read()).toBe(mine);
    expect((await cli("--yes")).out).toContain("Wrote 5 rules into");
    const written = read() ?? "";
    expect(written.startsWith(mine)).toBe(true);
    expect(written.match(/Bash\(rm:\*\)/g)).toHaveLength(1);
    expect((await cli("--yes")).out).toContain("has every rule of");
    expect(read()).toBe(written);
  });

  test("takes back every byte, or only the rules where the file has changed since", async () => {
    const mine = "agent:   null   # odd   blanks\n";
    const { cli, read, own } = createHome({ [CONFIG]: mine });
    expect(await cli("--undo")).toMatchObject({ status: 1, err: expect.stringContaining("has written nothing") });
    await cli("--yes");
    expect((await cli("--undo")).out).toContain("Put back");
    expect(read()).toBe(mine);
    await cli("--yes");
    own(CONFIG, `${read()}mode: plan # later\n`);
    expect((await cli("--undo")).out).toContain("Took the rules out");
    expect(read()).toMatch(/odd {3}blanks\nmode: plan # later\n$/);
    expect(read()).not.toContain("Bash(");
  });

  test("a file that it made goes away again", async () => {
    const { cli, read } = createHome();
    await cli("--yes");
    expect(read()).toContain("Bash(cargo test:*)");
    await cli("--undo");
    expect(read()).toBeNull();
  });

  test("what a project's files say goes into the project's own file, and needs trust there", async () => {
    const { cli, read, write, cwd } = createHome();
    write(".claude/settings.local.json", '{"permissions": {"allow": ["Bash(make:*)"]}}');
    expect((await cli("--dry-run")).out).toMatch(/Bash\(make:\*\) .*: it is for this project/);
    const { out } = await cli("--project", "--yes");
    expect(out).toContain('Next: "toolcrib trust"');
    expect(readFileSync(join(cwd, "toolcrib.yaml"), "utf8")).toContain("Bash(make:*)");
    expect(readFileSync(join(cwd, "toolcrib.yaml"), "utf8")).not.toContain("git log");
    expect(read()).toBeNull();
    expect((await cli("--project", "--undo")).status).toBe(0);
    expect(existsSync(join(cwd, "toolcrib.yaml"))).toBe(false);
  });

  test("takes the permissions of one client alone", async () => {
    const { cli } = createHome();
    const { out } = await cli("--dry-run", "--client", "codex");
    expect(out).toContain("Bash(cargo test:*)");
    expect(out).not.toContain("Claude");
    const odd = await cli("--client", "emacs");
    expect(odd).toMatchObject({ status: 2, err: expect.stringContaining("claude-code, codex, gemini-cli") });
  });

  test("tells programs the same", async () => {
    const { cli } = createHome();
    const { out } = await cli("--dry-run", "--json");
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({
      file: "~/.config/toolcrib/config.yaml",
      written: false,
      disagreements: [
        {
          call: "git push",
          answers: [
            { client: "claude-code", decision: "allow" },
            { client: "codex", decision: "ask" },
          ],
          together: "ask",
        },
      ],
      notTaken: [{ client: "codex", from: "~/.codex/rules/default.rules:3" }],
    });
    expect(answer.added).toContainEqual({ list: "deny", rule: "Bash(rm:*)" });
  });

  test("judges calls by what it wrote", async () => {
    const { cli, cwd, env } = createHome();
    await cli("--yes");
    const { out } = await runCli(["check", "--client", "gemini-cli", "bash", "cd x && /usr/bin/rm y"], { cwd, env });
    expect(out).toContain("Bash(rm:*) (~/.config/toolcrib/config.yaml");
  });

  test.each([
    [["--undo", "--config", "a.yaml", "--project"], "do not go together"],
    [["--force"], "--force has no effect with --rules"],
  ])("%j", async (argv, text) => {
    expect(await createHome().cli(...argv)).toMatchObject({ status: 2, err: expect.stringContaining(text) });
  });

  test("its options need it", async () => {
    const { cwd, env } = createHome();
    const { status, err } = await runCli(["init", "--undo"], { cwd, env });
    expect({ status, err }).toMatchObject({ status: 2, err: expect.stringContaining("--undo goes with --rules") });
  });
});
