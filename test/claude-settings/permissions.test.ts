import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../support/run-cli.ts";

/** What `permissions` of Claude Code's settings decide here, example by example of its documentation. */

type Lists = Partial<Record<"allow" | "ask" | "deny", readonly string[]>>;
const USER = "../.claude/settings.json";

async function check(permissions: object, tool: string, args: object, file = USER) {
  const { cwd, home } = createMachine({ [file]: JSON.stringify({ permissions }) });
  const options = { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } };
  const result = await runCli(["check", tool, "--args", JSON.stringify(args), "--json"], options);
  return { ...JSON.parse(result.out), home };
}

const bash = (command: string) => ["bash", { command }] as const;
const read = (path: string) => ["view", { path }] as const;
const write = (path: string) => ["create", { path, content: "" }] as const;
const edit = (path: string) => ["edit", { path, old_str: "a", new_str: "b" }] as const;
const fetch = (url: string) => ["web_fetch", { url }] as const;

describe("rules of a person's own settings", () => {
  test.each<readonly [string, Lists, readonly [string, object], "allow" | "ask" | "deny"]>([
    // A tool alone means every use of it, and so does `(*)`.
    ["a bare tool", { allow: ["Bash"] }, bash("make all"), "allow"],
    ["a tool with (*)", { allow: ["Bash(*)"] }, bash("make all"), "allow"],
    ["a bare deny", { deny: ["WebFetch"] }, fetch("https://a.test/"), "deny"],
    // Deny, then ask, then allow; how specific a rule is does not matter.
    ["deny before allow", { deny: ["Bash(curl:*)"], allow: ["Bash(curl x)"] }, bash("curl x"), "deny"],
    [
      "ask before allow",
      { ask: ["Bash(git push:*)"], allow: ["Bash(git push origin)"] },
      bash("git push origin"),
      "ask",
    ],
    // Commands: exact, prefixes that end at a word, stars anywhere.
    ["exact", { allow: ["Bash(npm run build)"] }, bash("npm run build"), "allow"],
    ["exact and more", { allow: ["Bash(npm run build)"] }, bash("npm run build --watch"), "ask"],
    ["a prefix", { allow: ["Bash(npm run test:*)"] }, bash("npm run test -- -u"), "allow"],
    ["a prefix alone", { allow: ["Bash(npm run test:*)"] }, bash("npm run test"), "allow"],
    ["a prefix ends at a word", { allow: ["Bash(ls:*)"] }, bash("lsof"), "ask"],
    ["a star behind a blank", { allow: ["Bash(npm run *)"] }, bash("npm run lint"), "allow"],
    ["and the bare command", { allow: ["Bash(npm run *)"] }, bash("npm run"), "allow"],
    ["a star stuck to a word", { allow: ["Bash(ls*)"] }, bash("lsblk"), "allow"],
    ["a star in the middle", { allow: ["Bash(git * main)"] }, bash("git checkout main"), "allow"],
    ["a star in front", { allow: ["Bash(* --version)"] }, bash("cargo --version"), "allow"],
    ["a star in front, another command", { allow: ["Bash(* --version)"] }, bash("cargo build"), "ask"],
    ["a star in front, code inside", { allow: ["Bash(* --version)"] }, bash("sh -c 'rm x' --version"), "ask"],
    // Compound lines: every part needs its rule.
    ["a part without a rule", { allow: ["Bash(safe-cmd:*)"] }, bash("safe-cmd && other-cmd"), "ask"],
    [
      "all parts with rules",
      { allow: ["Bash(npm test)", "Bash(git status)"] },
      bash("npm test && git status"),
      "allow",
    ],
    ["a denied part", { allow: ["Bash"], deny: ["Bash(rm:*)"] }, bash("make; rm -r x"), "deny"],
    ["a line that does not parse", { allow: ["Bash(echo:*)"] }, bash("echo 'x"), "ask"],
    // Wrappers: a few are looked through, runners are not.
    ["timeout", { allow: ["Bash(npm test:*)"] }, bash("timeout 30 npm test"), "allow"],
    ["nohup", { allow: ["Bash(npm test:*)"] }, bash("nohup npm test"), "allow"],
    ["npx is a program of its own", { allow: ["Bash(eslint:*)"] }, bash("npx eslint ."), "ask"],
    ["docker exec", { allow: ["Bash(npm test)"] }, bash("docker exec c npm test"), "ask"],
    ["watch", { allow: ["Bash(watch:*)"] }, bash("watch ls"), "ask"],
    ["find -exec", { allow: ["Bash(find:*)"] }, bash("find . -exec rm {} +"), "ask"],
    ["find -delete", { allow: ["Bash(find:*)"] }, bash("find . -delete"), "ask"],
    // Assignments: deny sees past any of them, allow past harmless ones.
    ["deny behind an assignment", { deny: ["Bash(rm:*)"] }, bash("FOO=1 rm x"), "deny"],
    ["a harmless assignment", { allow: ["Bash(npm test)"] }, bash("NODE_ENV=test npm test"), "allow"],
    ["another assignment", { allow: ["Bash(npm test)"] }, bash("LD_PRELOAD=x npm test"), "ask"],
    // Files: four anchors, gitignore style; deny reaches deeper than allow.
    ["from the working folder", { allow: ["Edit(src/**)"] }, edit("src/a.ts"), "allow"],
    ["a denied name anywhere", { deny: ["Read(.env)"] }, read("sub/.env"), "deny"],
    ["a denied pattern anywhere", { deny: ["Read(./secrets/**)"] }, read("secrets/deep/key"), "deny"],
    ["one folder, allow: top level only", { allow: ["Edit(src/**)"] }, edit("lib/src/a.ts"), "ask"],
    ["one folder, deny: any depth", { deny: ["Edit(src/**)"] }, edit("lib/src/a.ts"), "deny"],
    ["absolute", { deny: ["Read(//etc/**)"] }, read("/etc/hosts"), "deny"],
    ["home, from a command", { deny: ["Read(~/.zshrc)"] }, bash("cat ~/.zshrc"), "deny"],
    ["Edit covers every tool that edits", { allow: ["Edit(docs/**)"] }, write("docs/a.md"), "allow"],
    ["Read reaches file commands", { deny: ["Read(.env)"] }, bash("cat .env"), "deny"],
    ["Edit reaches redirections", { deny: ["Edit(out.txt)"] }, bash("echo x > out.txt"), "deny"],
    // Addresses.
    ["a host", { allow: ["WebFetch(domain:example.com)"] }, fetch("https://example.com/a"), "allow"],
    ["another host", { allow: ["WebFetch(domain:example.com)"] }, fetch("https://example.com.evil.test/"), "ask"],
    [
      "sub-domains of any depth",
      { allow: ["WebFetch(domain:*.example.com)"] },
      fetch("https://a.b.example.com/"),
      "allow",
    ],
    ["not the domain itself", { allow: ["WebFetch(domain:*.example.com)"] }, fetch("https://example.com/"), "ask"],
    ["a star in a label", { allow: ["WebFetch(domain:api-*.test)"] }, fetch("https://api-1.x.test/"), "ask"],
    // Tools of servers, by every spelling, and parameters.
    ["a parameter", { deny: ["todo(action:clear*)"] }, ["todo", { action: "clear-all" }], "deny"],
    ["another value", { deny: ["todo(action:clear*)"], allow: ["todo"] }, ["todo", { action: "list" }], "allow"],
  ])("%s: %j", async (_, lists, [tool, args], decision) => {
    expect(await check(lists, tool, args)).toMatchObject({ decision });
  });

  test("the decision names the settings file and the line of the rule", async () => {
    const { origin, rule } = await check({ deny: ["Bash(rm:*)"] }, ...bash("rm x"));
    expect([rule, origin]).toEqual(["Bash(rm:*)", "~/.claude/settings.json:1"]);
  });
});

describe("modes", () => {
  test.each([
    ["default", write("a.txt"), "ask"],
    ["manual", write("a.txt"), "ask"],
    ["acceptEdits", write("a.txt"), "allow"],
    ["plan", write("a.txt"), "deny"],
    ["plan", read("a.txt"), "allow"],
    ["dontAsk", write("a.txt"), "deny"],
    ["bypassPermissions", bash("make"), "allow"],
  ] as const)("defaultMode %s: %j is %s", async (defaultMode, [tool, args], decision) => {
    expect(await check({ defaultMode }, tool, args)).toMatchObject({ decision });
  });

  test("a project cannot switch bypass on, nor can anybody where it is switched off", async () => {
    const inProject = await check({ defaultMode: "bypassPermissions" }, ...bash("make"), ".claude/settings.json");
    expect(inProject.decision).toBe("ask");
    const off = { defaultMode: "bypassPermissions", disableBypassPermissionsMode: "disable" };
    expect((await check(off, ...bash("make"))).decision).toBe("ask");
    const { cwd, home } = createMachine({ [USER]: JSON.stringify({ permissions: off }) });
    const argv = ["check", "bash", "--args", '{"command":"make"}', "--mode", "bypass"];
    const { out, err } = await runCli(argv, { cwd, env: { HOME: home } });
    expect(out).toContain("bash: ask");
    expect(err).toContain("bypass mode is switched off");
  });

  test("a mode that is not there is told, and changes nothing", async () => {
    const { cwd, home } = createMachine({ [USER]: JSON.stringify({ permissions: { defaultMode: "auto" } }) });
    const { err } = await runCli(["list"], { cwd, env: { HOME: home } });
    expect(err).toContain('"auto" has no counterpart here');
  });
});

describe("whose settings", () => {
  const FILE = ".claude/settings.json";
  const RULES = { allow: ["Bash(make:*)"], deny: ["Bash(rm:*)"], ask: ["Bash(git push:*)"] };

  test("a project's deny and ask rules count at once, its allow rules once it is trusted", async () => {
    expect((await check(RULES, ...bash("rm x"), FILE)).decision).toBe("deny");
    expect((await check(RULES, ...bash("git push"), FILE)).code).toBe("permission.asked");
    expect((await check(RULES, ...bash("make"), FILE)).decision).toBe("ask");
    const { cwd, home, write: change } = createMachine({ [FILE]: JSON.stringify({ permissions: RULES }) });
    const options = { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } };
    const shown = await runCli(["trust", "--yes"], options);
    expect(shown.out + shown.err).toContain("Bash(make:*)");
    const argv = ["check", "bash", "--args", '{"command":"make"}', "--json"];
    expect(JSON.parse((await runCli(argv, options)).out)).toMatchObject({
      decision: "allow",
      origin: ".claude/settings.json:1",
    });
    change(FILE, JSON.stringify({ permissions: { ...RULES, allow: ["Bash"] } }));
    expect(JSON.parse((await runCli(argv, options)).out).decision).toBe("ask");
  });

  test("lists of all files are joined, and a deny anywhere wins", async () => {
    const { cwd, home } = createMachine({
      [USER]: JSON.stringify({ permissions: { allow: ["Bash(make:*)"] } }),
      [FILE]: JSON.stringify({ permissions: { deny: ["Bash(make clean)"] } }),
      ".claude/settings.local.json": JSON.stringify({ permissions: { ask: ["Bash(make install)"] } }),
    });
    const decide = async (command: string) => {
      const argv = ["check", "bash", "--args", JSON.stringify({ command }), "--json"];
      return JSON.parse((await runCli(argv, { cwd, env: { HOME: home } })).out).decision;
    };
    expect([await decide("make"), await decide("make clean"), await decide("make install")]).toEqual([
      "allow",
      "deny",
      "ask",
    ]);
  });

  test("a rule that cannot be read is left out alone, and told", async () => {
    const { cwd, home } = createMachine({
      [USER]: JSON.stringify({ permissions: { deny: ["Bash(rm", "Bash(dd:*)", 5] } }),
    });
    const argv = ["check", "bash", "--args", '{"command":"dd x"}'];
    const { out, err } = await runCli(argv, { cwd, env: { HOME: home } });
    expect(out).toContain("bash: deny");
    expect(err.match(/permissions\.deny has .*, which cannot be read/g)).toHaveLength(2);
  });

  test("a broken file costs what it says and nothing else", async () => {
    const { cwd, home } = createMachine({ [USER]: "{ nope", user: "permissions: { deny: [Bash(rm:*)] }" });
    const { out, err } = await runCli(["check", "bash", "--args", '{"command":"rm x"}'], { cwd, env: { HOME: home } });
    expect([out, err]).toEqual([expect.stringContaining("bash: deny"), expect.stringContaining("cannot be read")]);
  });
});

test("further folders are read without a question and edited as the mode says", async () => {
  const { cwd, home } = createMachine({
    "../other/a.txt": "there\n",
    [USER]: JSON.stringify({ permissions: { additionalDirectories: ["../other", "../missing"] } }),
  });
  const options = { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } };
  const run = (...argv: readonly string[]) => runCli(argv, options);
  const seen = await run("call", "view", "--args", JSON.stringify({ path: `${home}/other/a.txt` }));
  expect(seen).toMatchObject({ status: 0, out: expect.stringContaining("there") });
  expect(seen.err).toContain("missing, which is not a folder");
  const args = JSON.stringify({ path: `${home}/other/b.txt`, content: "x" });
  expect((await run("check", "create", "--args", args)).out).toContain("create: ask");
  expect((await run("check", "create", "--args", args, "--mode", "accept-edits")).out).toContain("create: allow");
  const outside = JSON.stringify({ path: `${home}/elsewhere.txt` });
  expect((await run("check", "view", "--args", outside)).out).toContain("view: ask");
});
