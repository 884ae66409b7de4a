import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AS_RUN, createMachine, runCli } from "../../../../test/support/run-cli.ts";

const RULES = `permissions:
  allow: ["Bash(git log:*)", "Write(src/**)"]
  ask: ["Bash(git push:*)"]
  deny: ["Bash(rm:*)", "Read(**/.env)"]
`;

async function check(tool: string, args: object, ...flags: readonly string[]) {
  const { cwd, home } = createMachine({ user: RULES });
  const result = await runCli(["check", tool, "--args", JSON.stringify(args), "--json", ...flags], {
    cwd,
    env: { HOME: home },
  });
  return { status: result.status, ...JSON.parse(result.out) };
}

describe("a shell command", () => {
  test.each([
    ["git log -3", "allow", "permission.allowed", 0],
    ["git push", "ask", "permission.asked", 1],
    ["git log && rm x", "deny", "permission.denied", 1],
    ["make", "ask", "permission.no-rule", 1],
    ["cat .env", "deny", "permission.denied", 1],
    ["cat a.txt | head", "allow", "permission.read-only", 0],
    ["cat /etc/passwd", "ask", "permission.no-rule", 1],
    ["echo 'a", "ask", "permission.unreadable", 1],
  ])("%s: %s", async (command, decision, code, status) => {
    expect(await check("bash", { command })).toMatchObject({ decision, code, status });
  });

  test("that is allowed as a whole does not seem to be asked about in part", async () => {
    const { cwd, home } = createMachine({ user: `${RULES}sandbox: { allowHostShell: true }\n` });
    const show = (command: string) =>
      runCli(["check", "bash", "--args", JSON.stringify({ command })], { cwd, env: { HOME: home } });
    expect((await show("ls | wc -l")).out).toBe("bash: allow\n  it only reads (default)\n");
    expect((await show("make; dd if=a")).out).toContain('ask    "dd if=a": no allow rule covers it');
    // The command that needs the question is named first, and not one that only reads.
    expect((await show("ls; make")).out).toMatch(
      /^bash: ask\n {2}"make": no allow rule covers it \(default\)\n {2}allow {2}"ls": it only reads\n/,
    );
  });

  test("names the rule, its place and every part", async () => {
    const { rule, origin, parts } = await check("bash", { command: "git log; rm x" });
    expect(rule).toBe("Bash(rm:*)");
    expect(origin).toMatch(/config\.yaml:4$/);
    expect(parts.map(({ part, decision }: { part: string; decision: string }) => [part, decision])).toContainEqual([
      "git log",
      "allow",
    ]);
  });

  test("offers the narrowest rule for each command, never a prefix", async () => {
    const { suggestions } = await check("bash", { command: "make test && npm run 'a b'" });
    expect(suggestions).toEqual(["Bash(make test)", "Bash(npm run 'a b')"]);
  });
});

test("the model that would judge a call is named with its setting, and not asked", async () => {
  const { cwd, home } = createMachine({ user: `${RULES}  classifier: ollama/judge\n` });
  const show = (command: string, ...flags: string[]) =>
    runCli(["check", "bash", "--args", JSON.stringify({ command }), ...flags], { cwd, env: { HOME: home } });
  const { status, out } = await show("make");
  expect(status).toBe(1);
  expect(out).toMatch(/^No model is asked here; this one would judge the call: ollama\/judge \(.*config\.yaml:5\)$/m);
  expect(JSON.parse((await show("make", "--json")).out).classifier).toMatch(/^ollama\/judge \(.*config\.yaml:5\)$/);
  for (const settled of ["git log", "git push", "rm x"])
    expect(JSON.parse((await show(settled, "--json")).out)).not.toHaveProperty("classifier");
});

test("a built-in that is off is judged all the same", async () => {
  const { cwd, home } = createMachine({ user: `builtins: off\n${RULES}` });
  const ask = async (...argv: readonly string[]) => {
    const { out } = await runCli([...argv, "--json"], { cwd, env: { HOME: home } });
    return JSON.parse(out);
  };
  expect(await ask("why", "bash")).toMatchObject({
    tools: [{ standing: "hidden", reasons: [{ code: "builtin.off" }] }],
  });
  expect(await ask("check", "bash", "--args", '{"command":"rm x"}')).toMatchObject({ decision: "deny" });
  expect(await ask("check", "bash", "--args", '{"command":"git log -3"}')).toMatchObject({ rule: "Bash(git log:*)" });
});

describe("files and modes", () => {
  test.each([
    ["create", { path: "src/a.ts", content: "" }, [], "allow"],
    ["create", { path: "b.ts", content: "" }, [], "ask"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "accept-edits"], "allow"],
    ["create", { path: ".git/hooks/pre-commit", content: "" }, ["--mode", "accept-edits"], "ask"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "plan"], "deny"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "dont-ask"], "deny"],
    ["create", { path: "b.ts", content: "" }, ["--mode", "bypass"], "allow"],
    ["view", { path: "a.ts" }, [], "allow"],
    ["view", { path: "sub/.env" }, ["--mode", "bypass"], "deny"],
    ["bash", { command: "rm x" }, ["--mode", "bypass"], "deny"],
    ["bash", { command: "git push" }, ["--mode", "bypass"], "ask"],
    ["bash", { command: "ls" }, ["--mode", "plan"], "allow"],
    ["bash", { command: "touch x" }, ["--mode", "plan"], "deny"],
  ] as const)("%s %j %j: %s", async (tool, args, flags, decision) => {
    expect(await check(tool, args, ...flags)).toMatchObject({ decision });
  });
});

test("for people: the decision, the reason, and what would allow it", async () => {
  const { cwd, home } = createMachine({ user: RULES });
  const { out } = await runCli(["check", "bash", "--args", '{"command":"make"}'], { cwd, env: { HOME: home } });
  expect(out).toMatch(/^bash: ask\n {2}"make": no allow rule covers it/);
  expect(out).toContain("To allow it always: Bash(make)");
});

test.each([
  ["bsh", "{}", 1, 'there is no tool "bsh"; did you mean "Bash" or "bash"'],
  ["bash", "{", 2, "--args is not valid JSON: line 1"],
  ["bash", "[]", 2, "--args has to be a JSON object"],
])("%s %s is refused", async (tool, args, status, text) => {
  const { cwd, home } = createMachine();
  const result = await runCli(["check", tool, "--args", args], { cwd, env: { HOME: home } });
  expect(result.status).toBe(status);
  expect(result.err).toContain(text);
});

test.each(["Bash", "Read", "*", "builtin:*"])(
  "%s means several tools, of which none is decided about",
  async (tool) => {
    const { status, error, decision } = await check(tool, { command: "rm -rf x" });
    expect([status, error.code, decision]).toEqual([1, "tool.not-found", undefined]);
    expect(error.text).toContain(`"${tool}" means several tools; check one of them: `);
    expect(error.names.length).toBeGreaterThan(1);
  },
);

test("a tool of a module is checked as any other", async () => {
  const tool = 'export const hello = { name: "hello", description: "d", handler: () => "hi" };\n';
  const { cwd, home } = createMachine({
    "tools.mjs": tool,
    "own.json": JSON.stringify({ tools: [{ name: "hello", use: "./tools.mjs:hello" }] }),
  });
  const { out } = await runCli(["check", "hello", "--config", "own.json", "--json"], { cwd, env: { HOME: home } });
  expect(JSON.parse(out)).toMatchObject({ tool: "hello", decision: "ask" });
});

test.each([["check"], ["call"], ["why"]])(
  "%s says of a tool whose server is not there why that is",
  async (command) => {
    const { cwd, home } = createMachine({ user: "mcpServers: { gone: { command: no-such-program-anywhere } }\n" });
    const { status, err } = await runCli([command, "gone/tool"], { cwd, env: { HOME: home } });
    expect(status).toBe(1);
    const why = 'server "gone" could not be started: There is no program "no-such-program-anywhere" on the PATH';
    const next = `Install it, or correct its command (~/.config/toolcrib/config.yaml:1), then: toolcrib servers`;
    const scene = command === "why" ? AS_RUN : "";
    expect(err).toBe(`${scene}toolcrib: nothing is known about "gone/tool": ${why}. ${next} restart gone\n`);
  },
);

test("a warning about a missing program says once what to do and where", async () => {
  const { cwd, home } = createMachine({ user: "mcpServers: { gone: { command: no-such-program-anywhere } }\n" });
  const { err } = await runCli(["list"], { cwd, env: { HOME: home } });
  expect(err.match(/config\.yaml:1/g)).toHaveLength(1);
  expect(err.match(/correct/gi)).toHaveLength(1);
});

describe("what was approved before", () => {
  const machine = () => {
    const { cwd, home } = createMachine({ user: RULES });
    const options = { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } };
    const create = (path: string) => ["--args", JSON.stringify({ path, content: "x" })];
    return { options, create, run: (...argv: readonly string[]) => runCli(argv, options), home, cwd };
  };

  test("a kept rule allows, and is named with its id", async () => {
    const { run, create, options } = machine();
    expect((await runCli(["call", "create", ...create("n.txt")], { ...options, types: "m" })).status).toBe(0);
    const [{ id }] = JSON.parse((await run("grants", "--json")).out).grants;
    const { status, out } = await run("check", "create", ...create("n.txt"));
    expect(status).toBe(0);
    expect(out).toContain(`grant ${id}`);
    const json = JSON.parse((await run("check", "create", ...create("n.txt"), "--json")).out);
    expect(json).toMatchObject({ decision: "allow", code: "permission.granted", origin: `grant ${id}` });
    expect((await run("check", "create", ...create("m.txt"))).status).toBe(1);
    await run("grants", "revoke", id);
    expect((await run("check", "create", ...create("n.txt"))).status).toBe(1);
  });

  test("a grant for exact arguments allows these and no others", async () => {
    const { run, options } = machine();
    // No rule can name a file with a bracket, so the arguments themselves are kept.
    const odd = ["--args", JSON.stringify({ path: "[n].txt", content: "x" })];
    expect((await runCli(["call", "create", ...odd], { ...options, types: "m" })).status).toBe(0);
    expect(JSON.parse((await run("check", "create", ...odd, "--json")).out)).toMatchObject({
      decision: "allow",
      code: "permission.granted",
      text: expect.stringMatching(/approved for these arguments before \(grant \w+\)/),
    });
    const other = ["--args", JSON.stringify({ path: "[n].txt", content: "y" })];
    expect((await run("check", "create", ...other)).status).toBe(1);
  });

  test("no grant passes a deny rule", async () => {
    const { run, home, cwd } = machine();
    const { mkdirSync, writeFileSync } = await import("node:fs");
    const grant = { id: "g1", scope: "user", tool: "bash", rules: ["Bash(rm x)"], created: 1, expires: null };
    mkdirSync(`${home}/.config/toolcrib`, { recursive: true });
    writeFileSync(`${home}/.config/toolcrib/grants.json`, JSON.stringify({ version: 1, grants: [grant] }));
    expect(cwd).not.toBe("");
    expect((await run("check", "bash", "--args", '{"command":"rm x"}')).out).toContain("bash: deny");
  });
});

test("filters look at the call first, and say what they would do, without what they found", async () => {
  const { cwd, home } = createMachine({
    user: `permissions: { allow: ["Bash(echo:*)"] }
sandbox: { allowHostShell: true }
filters:
  - { kinds: [email] }
  - { kinds: [card], do: block }
  - { name: dlp, judge: { url: "https://dlp.example.com/", secret: x } }
`,
  });
  const run = (command: string, ...flags: readonly string[]) =>
    runCli(["check", "bash", "--args", JSON.stringify({ command }), ...flags], { cwd, env: { HOME: home } });
  const masked = await run("echo alice@example.com");
  expect(masked).toMatchObject({ status: 0 });
  expect(masked.out).toMatch(/A filter masks email \(.*config\.yaml:4\)\nJudges are not asked here.*: dlp\n/);
  const blocked = await run("echo 4111111111111111", "--json");
  expect(blocked.status).toBe(1);
  expect(JSON.parse(blocked.out)).toMatchObject({
    decision: "deny",
    code: "filter.blocked",
    origin: expect.stringMatching(/config\.yaml:5$/),
    filters: { found: [{ kind: "card", act: "block" }], judges: ["dlp"] },
  });
  expect(blocked.out).not.toContain("4111");
});

test("hooks are not run, and those that would see the call are named", async () => {
  const { cwd, home } = createMachine({
    user: "hooks: { preToolUse: [ { matcher: view, command: touch ran }, { matcher: bash, command: other } ] }",
  });
  const argv = ["check", "view", "--args", '{"path":"a"}'];
  const { out } = await runCli(argv, { cwd, env: { HOME: home } });
  expect(out).toContain("Hooks are not run here; these would see the call: touch ran");
  expect(out).not.toContain("other");
  const json = JSON.parse((await runCli([...argv, "--json"], { cwd, env: { HOME: home } })).out);
  expect(json.hooks).toEqual({ run: false, matching: ["touch ran"] });
});

describe("the command as words", () => {
  const words = async (...argv: readonly string[]) => {
    const { cwd, home } = createMachine({ user: RULES });
    return runCli(["check", ...argv], { cwd, env: { HOME: home } });
  };

  test("behind the tool, its options left to it; no rule is suggested for what destroys", async () => {
    const { status, out } = await words("--mode", "default", "bash", "dd", "-rf", "--json", "/");
    expect(status).toBe(1);
    expect(out).toMatch(/^bash: ask\n {2}"dd -rf --json \/": no allow rule covers it/);
    expect(out).not.toContain("To allow it always");
  });

  test("rm -rf / is denied by the rule about rm, and suggests nothing where none is", async () => {
    expect((await words("bash", "rm", "-rf", "/")).out).toContain("Bash(rm:*)");
    const { cwd, home } = createMachine();
    const { out } = await runCli(["check", "bash", "rm", "-rf", "/"], { cwd, env: { HOME: home } });
    expect(out).toMatch(/^bash: ask/);
    expect(out).not.toContain("To allow it always");
  });

  test("a quoted word stays one, a single word is a whole line", async () => {
    expect((await words("bash", "npm", "run", "a b")).out).toContain("To allow it always: Bash(npm run 'a b')");
    expect((await words("bash", "git log -3 | wc -l")).status).toBe(0);
    expect((await words("bash", "--", "git", "log", "-3")).status).toBe(0);
  });

  test.each([
    [["view", "README.md"], "give its arguments as JSON: toolcrib check view --args"],
    [["--args", "{}", "bash", "ls"], "not both"],
  ])("%j says what to write instead", async (argv, said) => {
    expect(await words(...argv)).toMatchObject({ status: 2, err: expect.stringContaining(said) });
  });
});

test("a built-in tool that is off is still judged, and nothing is started for it", async () => {
  const machine = createMachine();
  const started = join(machine.home, "started");
  const server = {
    command: process.execPath,
    args: ["-e", `require("fs").writeFileSync(${JSON.stringify(started)}, "")`],
  };
  const permissions = { allow: ["Bash(git log:*)"], deny: ["Bash(rm:*)"] };
  machine.write("user", JSON.stringify({ builtins: "off", permissions, mcpServers: { server } }));
  const options = { cwd: machine.cwd, env: { HOME: machine.home, PATH: process.env.PATH ?? "" } };
  const decide = async (...argv: readonly string[]) => {
    const { status, out } = await runCli(["check", "--json", ...argv], options);
    const { decision, code, standing } = JSON.parse(out);
    return [status, decision, code, standing];
  };
  expect(await decide("bash", "git", "log")).toEqual([0, "allow", "permission.allowed", "hidden"]);
  expect(await decide("bash", "rm", "x")).toEqual([1, "deny", "permission.denied", "hidden"]);
  const { out } = await runCli(["check", "bash", "make"], options);
  expect(out).toContain('The tool is hidden in this scene: "toolcrib why bash" says why.');
  expect((await runCli(["why", "bash"], options)).out).toContain("built-in tools are off here");
  expect(existsSync(started)).toBe(false);
});

test("a rule's path starts at the folder of its file, wherever below the home folder that lies", async () => {
  const deny = (rule: string) => JSON.stringify({ permissions: { deny: [rule] } });
  const files = { ".claude/settings.json": deny("Read(/keys/**)"), "packages/a/x": "", user: deny("Read(/own/**)") };
  const { cwd, home } = createMachine(files);
  const decide = async (path: string) => {
    const here = { cwd: join(cwd, "packages/a"), env: { HOME: home } };
    const { out } = await runCli(["check", "bash", "--json", "cat", path], here);
    const { decision, origin } = JSON.parse(out);
    return [decision, origin];
  };
  expect(await decide(join(cwd, "keys/a"))).toEqual(["deny", "~/work/.claude/settings.json:1"]);
  expect(await decide(join(home, ".config/toolcrib/own/a"))).toEqual(["deny", "~/.config/toolcrib/config.yaml:1"]);
  expect((await decide(join(cwd, "packages/a/keys/a")))[0]).not.toBe("deny");
});

test.each([
  ["as text", "Read(/keys/**)"],
  ["with examples", { rule: "Read(/keys/**)", noMatch: ["src/a.ts"] }],
])("the same rule in two files counts from the folder of each, written %s", async (_, rule) => {
  const deny = JSON.stringify({ permissions: { deny: [rule] } });
  const { cwd, home } = createMachine({ "toolcrib.json": deny, user: deny });
  const decide = async (path: string) => {
    const { out } = await runCli(["check", "bash", "--json", "cat", path], { cwd, env: { HOME: home } });
    return JSON.parse(out).decision;
  };
  expect(await decide(join(cwd, "keys/a"))).toBe("deny");
  expect(await decide(join(home, ".config/toolcrib/keys/a"))).toBe("deny");
  expect(await decide(join(cwd, "lib/a"))).toBe("allow");
});
