import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const PROJECT = `mcpServers:
  "my.files":
    args: ["-y", "a server", "--token", "s3cret"]
    command: npx
    env: { KEY: s3cret }
hooks:
  preToolUse:
    - { matcher: bash, command: ./audit.sh }
permissions: { allow: ["Bash(git log:*)"] }
sandbox: { allowHostShell: true }
`;

function createProject(text = PROJECT) {
  const machine = createMachine({ "toolcrib.yaml": text });
  return { ...machine, store: machine.trusted, options: { cwd: machine.cwd, env: { HOME: machine.home } } };
}

describe("config", () => {
  test("every value with its origin", async () => {
    const { options } = createProject("excludeTools: [web]\n");
    const { status, out } = await runCli(["config", "--mode", "plan"], options);
    expect(status).toBe(0);
    expect(out).toMatch(/excludeTools\[0\] +web +toolcrib\.yaml:1\n/);
    expect(out).toMatch(/permissions\.mode +plan +--mode\n/);
    expect(out).toMatch(/toolSearch +auto +default\n/);
    expect(out).toContain("read, highest first: toolcrib.yaml (project)\n");
  });

  test("one value by its path, with its origin", async () => {
    const { options } = createProject();
    await runCli(["trust", "--yes"], options);
    const ask = (...argv: readonly string[]) => runCli(["config", ...argv], options);
    expect(await ask("permissions.mode", "--mode", "plan")).toMatchObject({ status: 0, out: "plan  (--mode)\n" });
    expect((await ask("toolSearch")).out).toBe("auto  (default)\n");
    expect((await ask("sandbox.allowHostShell")).out).toBe("true  (toolcrib.yaml:10)\n");
    expect((await ask('mcpServers."my.files".command')).out).toBe("npx  (toolcrib.yaml:4)\n");
    expect((await ask("permissions.allow")).out).toMatch(
      /^PATH.*\npermissions\.allow\[0\] +Bash\(git log:\*\) +\S+:9\n$/,
    );
    expect((await ask("mcpServers")).out).not.toContain("s3cret");
    expect(JSON.parse((await ask("toolSearch", "--json")).out).values).toEqual([
      { path: "toolSearch", value: "auto", origin: "default" },
    ]);
  });

  test.each([
    ["permisions.mode", 2, 'there is no setting "permisions.mode"; did you mean "permissions.mode"?'],
    ["mode", 2, 'did you mean "permissions.mode"?'],
    ["mcpServers.nope", 2, 'there is no setting "mcpServers.nope"'],
    ["gateway.token", 1, "gateway.token is not set"],
    ["gateway.builtins", 1, "gateway.builtins is not set: which built-in tools clients get; by default none"],
  ])("%s is not there to show", async (key, status, said) => {
    const { options } = createProject("excludeTools: [web]\n");
    expect(await runCli(["config", key], options)).toMatchObject({ status, err: expect.stringContaining(said) });
  });

  test("what managed policy narrows to stands beside what it narrows", async () => {
    const { options, home } = createProject("includeTools: [view]\n");
    const policy = join(home, "policy.yaml");
    writeFileSync(policy, "includeTools: [read, search]\n");
    const { out } = await runCli(["config"], {
      ...options,
      columns: 200,
      env: { ...options.env, TOOLCRIB_POLICY: policy },
    });
    expect(out).toMatch(/includeTools\[0\] +view +toolcrib\.yaml:1\n/);
    expect(out).toMatch(/policy\.includeTools\[1\] +search +\S*policy\.yaml:1\n/);
  });

  test("secrets are masked, for people and for programs", async () => {
    const { options } = createProject();
    await runCli(["trust", "--yes"], options);
    for (const argv of [["config"], ["config", "--json"]]) {
      const { out, err } = await runCli(argv, options);
      expect(out).toContain("my.files");
      expect(out + err).not.toContain("s3cret");
    }
  });

  test("as JSON: files, values and notices", async () => {
    const { options } = createProject("excludeTools: [web]\n");
    const document = JSON.parse((await runCli(["config", "--json"], options)).out);
    expect(document.files).toEqual([{ layer: "project", file: "toolcrib.yaml" }]);
    expect(document.values).toContainEqual({ path: "excludeTools[0]", value: "web", origin: "toolcrib.yaml:1" });
    expect(document.notices).toEqual([]);
  });

  test("a file that is named and missing is an error, status 3", async () => {
    const { options } = createProject();
    const { status, out } = await runCli(["config", "--config", "no.yaml", "--json"], options);
    expect(status).toBe(3);
    expect(JSON.parse(out).error.code).toBe("config.not-found");
  });
});

describe("snapshot", () => {
  test("replays the same toolset from a world", async () => {
    const { options } = createProject("excludeTools: [web]\ntoolOverrides: { view: { name: look } }\n");
    const before = JSON.parse((await runCli(["list", "--json"], options)).out);
    const { status, out } = await runCli(["snapshot"], options);
    expect(status).toBe(0);
    const after = JSON.parse((await runCli(["list", "--json", "--world", "-"], { stdin: out })).out);
    const brief = ({ tools }: typeof before) =>
      tools.map(({ name, standing }: { name: string; standing: string }) => `${name} ${standing}`);
    expect(brief(after)).toEqual(brief(before));
    expect(after.catalogHash).toBe(before.catalogHash);
  });

  test("holds what the flags say", async () => {
    const { out } = await runCli(["snapshot", "--mode", "plan"], createProject("{}").options);
    expect(JSON.parse(out).options.mode).toBe("plan");
  });
});

describe("trust", () => {
  test("shows command lines, hooks and rules before it asks, and a no changes nothing", async () => {
    const { options, cwd, store } = createProject();
    const { status, out, err } = await runCli(["trust"], { ...options, types: "n" });
    expect(status).toBe(1);
    expect(out.replace(cwd, "DIR")).toMatchInlineSnapshot(`
      "DIR is not trusted and asks for
        server: my.files (toolcrib.yaml:2)
            runs: npx -y "a server" --token ***
            env.KEY: ***
        hook: ./audit.sh (toolcrib.yaml:8)
            runs: ./audit.sh
            matcher: bash
        allow rule: Bash(git log:*) (toolcrib.yaml:9)
        host shell: sandbox.allowHostShell (toolcrib.yaml:10)
            value: true
      Nothing was changed.
      "
    `);
    expect(err).toBe("Trust this workspace with all of it? [y/N] ");
    expect(existsSync(store)).toBe(false);
  });

  test("a yes makes it count, and a changed file has to be trusted again", async () => {
    const { options, write } = createProject();
    expect((await runCli(["trust"], { ...options, types: "y" })).status).toBe(0);
    expect((await runCli(["trust"], options)).out).toContain("is trusted with");
    expect((await runCli(["why", "bash"], options)).status).toBe(0);
    write("toolcrib.yaml", PROJECT.replace("npx", "other"));
    expect((await runCli(["trust"], options)).status).toBe(2);
  });

  test("without a terminal it wants --yes, status 2, and lists what it is about", async () => {
    const { options, store } = createProject();
    const { status, out, err } = await runCli(["trust"], options);
    expect(status).toBe(2);
    expect(out).toContain("runs: npx");
    expect(err).toContain("--yes");
    const { error } = JSON.parse((await runCli(["trust", "--json"], options)).out);
    expect(error).toMatchObject({ code: "usage.invalid", names: expect.arrayContaining(["server my.files"]) });
    expect(existsSync(store)).toBe(false);
  });

  test("trusts what it showed, even if a file changes while the question stands", async () => {
    const { options, cwd, store } = createProject();
    const file = join(cwd, "toolcrib.yaml");
    const types = () => {
      writeFileSync(file, PROJECT.replace("npx", "evil"));
      return "y";
    };
    await runCli(["trust"], { ...options, types });
    expect(readFileSync(store, "utf8")).toContain('"my.files"');
    expect((await runCli(["trust"], options)).status).toBe(2);
  });

  test("as JSON with --yes: the items and their new state", async () => {
    const { options, cwd } = createProject();
    const { out } = await runCli(["trust", cwd, "--yes", "--json"], { env: options.env });
    const { state, items } = JSON.parse(out);
    expect(state).toBe("trusted");
    expect(items[0]).toMatchObject({ what: "server", name: "my.files", origin: "toolcrib.yaml:2" });
    expect(items[0].details).toContainEqual({ path: "runs", value: 'npx -y "a server" --token ***' });
  });

  test("tells hooks on one line apart", async () => {
    const { options } = createProject(
      "hooks: { preToolUse: [{ command: a, matcher: one }, { command: a, matcher: two }] }",
    );
    const { out } = await runCli(["trust"], options);
    expect([...out.matchAll(/matcher: (\w+)/g)].map(([, matcher]) => matcher)).toEqual(["one", "two"]);
  });

  test("shows what an agent file of the project would start", async () => {
    const { options, write } = createProject("{}");
    write(
      ".github/agents/helper.md",
      "---\nname: helper\ndescription: d\nmcpServers:\n  deep:\n    command: ./start.sh\n    args: [deep]\n---\nHelp.\n",
    );
    const { out } = await runCli(["trust"], options);
    expect(out).toContain("server: deep (.github/agents/helper.md:5)\n      runs: ./start.sh deep\n");
  });

  test("a workspace that asks for nothing needs no trust", async () => {
    const { options } = createProject("excludeTools: [web]\n");
    const { status, out } = await runCli(["trust"], options);
    expect(status).toBe(0);
    expect(out).toContain("asks for nothing that needs trust");
  });

  test("a folder that is none is wrong usage", async () => {
    expect((await runCli(["trust", "no-such-folder"], createProject().options)).status).toBe(2);
  });
});

test("several mistakes in one file are told one a line", async () => {
  const { cwd } = createMachine({ "toolcrib.yaml": "excludTools: []\nagnet: x\n" });
  const { status, err } = await runCli(["config"], { cwd, env: { HOME: cwd } });
  expect(status).toBe(3);
  expect(err.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^toolcrib: toolcrib\.yaml:1: .*excludeTools/),
    expect.stringMatching(/^toolcrib\.yaml:2: .*agent/),
  ]);
});
