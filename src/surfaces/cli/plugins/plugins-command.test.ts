import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/machine.ts";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const HOOK = 'touch "$PWD/hook-ran" && test -d "${CLAUDE_PLUGIN_ROOT}"';
const PLUGIN = {
  ".claude-plugin/plugin.json": JSON.stringify({ name: "helper", version: "1.2.0", description: "helps" }),
  "agents/reviewer.md": "---\ndescription: reviews a change\ntools: [view]\n---\nYou review.\n",
  "skills/greet/SKILL.md": "---\nname: greet\ndescription: greets people\n---\nSay hello.\n",
  "hooks/hooks.json": JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command: HOOK }] }] } }),

  ".mcp.json": JSON.stringify({
    mcpServers: { marker: { command: "touch", args: ["${CLAUDE_PLUGIN_ROOT}/server-ran"] } },
  }),
} as const;

function machine(files: Readonly<Record<string, string>> = {}, below = "") {
  const plugin =
    below === "" ? {} : Object.fromEntries(Object.entries(PLUGIN).map(([name, text]) => [`${below}/${name}`, text]));
  const { cwd, home, write } = createMachine({ "play.yaml": "replies: [{ text: Hello. }]\n", ...plugin, ...files });
  const cli = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const say = () => cli("run", "Hello", "--model", "scripted:play.yaml");
  return { cwd, home, write, cli, say };
}

test("a planted plugin runs and says nothing before it is trusted, and waits again when a file of it changes (B9)", async () => {
  const { cwd, write, cli, say } = machine({}, ".toolcrib/plugins/helper");
  const folder = join(cwd, ".toolcrib/plugins/helper");
  const ran = () => [existsSync(join(cwd, "hook-ran")), existsSync(join(folder, "server-ran"))];
  await say();
  expect(ran()).toEqual([false, false]);
  const { tools } = JSON.parse((await cli("list", "--json")).out);
  expect(tools.filter(({ source }: { source: string }) => source !== "builtin")).toEqual([]);
  expect(JSON.parse((await cli("plugins", "--json")).out)).toMatchObject({
    plugins: [
      {
        name: "helper",
        version: "1.2.0",
        side: "project",
        waits: true,
        brings: ["agents", "skillDirectories", "hooks", "mcpServers"],
      },
    ],
  });
  const { out } = await cli("trust", "--only", HOOK, "--yes");
  expect(out).toContain(
    "server: marker (.toolcrib/plugins/helper/.mcp.json:1, plugin helper 1.2.0)\n      runs: touch",
  );
  expect(out).toContain(`hook: ${HOOK}`);
  expect(out).toContain("agent: reviewer (.toolcrib/plugins/helper/agents/reviewer.md:1, plugin helper 1.2.0)");
  expect(out).toContain("skill folder:");
  await say();
  expect(ran()).toEqual([true, false]);
  await cli("trust", "--yes");
  expect(JSON.parse((await cli("plugins", "--json")).out)).toMatchObject({ plugins: [{ waits: false }] });
  expect((await cli("config", "mcpServers.marker")).status).toBe(0);
  write(".toolcrib/plugins/helper/anything.sh", "changed");
  expect(JSON.parse((await cli("plugins", "--json")).out)).toMatchObject({ plugins: [{ waits: true }] });
  expect((await cli("config", "mcpServers.marker")).status).not.toBe(0);
});

test(
  "add takes a folder or an archive, shows what it brings, and asks; remove takes it away (B9)",
  needs("tar"),
  async () => {
    const { cwd, home, cli } = machine({}, "vendor/helper");
    const place = join(home, ".config/toolcrib/plugins/helper");
    const unasked = await cli("plugins", "add", "vendor/helper");
    expect(unasked.status).not.toBe(0);
    expect(existsSync(place)).toBe(false);
    const { status, out } = await cli("plugins", "add", "vendor/helper", "--yes");
    expect(status).toBe(0);
    expect(out).toContain("helper · 1.2.0 · helps");
    expect(out).toContain("mcpServers.marker.command: touch");
    expect((await cli("config", "mcpServers.marker.command")).out).toContain(
      "(~/.config/toolcrib/plugins/helper/.mcp.json:1",
    );
    expect((await cli("config", "agents")).out).toContain("reviews a change");
    // A tool that the plugin's agent does without says so by the plugin's name.
    const why = (await cli("why", "bash", "--agent", "reviewer")).out;
    expect(why).toContain("plugin helper 1.2.0");
    expect((await cli("plugins")).out).toMatch(/helper\s+1\.2\.0\s+user/);
    expect((await cli("plugins", "remove", "helper", "--yes")).out).toBe("helper is removed.\n");
    expect(existsSync(place)).toBe(false);
    execFileSync("tar", ["-czf", "helper.tgz", "-C", "vendor", "helper"], { cwd });
    expect((await cli("plugins", "add", "helper.tgz", "--yes")).status).toBe(0);
    expect(existsSync(join(place, "skills/greet/SKILL.md"))).toBe(true);
  },
);

test("a plugin from a marketplace says so wherever it is named, and nobody else can", async () => {
  const { home, cli, write } = machine(
    {
      "market/.claude-plugin/marketplace.json": JSON.stringify({
        name: "acme-tools",
        plugins: [
          { name: "helper", source: "./plugins/helper" },
          { name: "far", source: { source: "github" } },
        ],
      }),
      "market/plugins/unlisted/plugin.json": JSON.stringify({ name: "unlisted", mcpServers: { x: { command: "x" } } }),
      "market/plugins/unlisted/.toolcrib-source.json": '{"path":"/x","marketplace":"acme-tools"}',
    },
    "market/plugins/helper",
  );
  expect((await cli("plugins", "add", "market", "--yes")).err).toContain(
    "market is a marketplace; add one of its plugins: toolcrib plugins add market helper (it has helper, far)",
  );
  expect((await cli("plugins", "add", "market", "helpr", "--yes")).err).toContain('did you mean "helper"');
  expect((await cli("plugins", "add", "market", "far", "--yes")).err).toContain("far lies outside market");
  expect((await cli("plugins", "add", "market", "helper", "--yes")).status).toBe(0);
  await cli("plugins", "add", "market/plugins/unlisted", "--yes");
  expect((await cli("plugins")).out).toMatch(/helper\s+1\.2\.0\s+user, acme-tools\s/);
  const { plugins } = JSON.parse((await cli("plugins", "--json")).out);
  expect(plugins.map(({ source }: { source: { marketplace: unknown } }) => source.marketplace)).toEqual([
    "acme-tools",
    null,
  ]);
  expect((await cli("why", "bash", "--agent", "reviewer")).out).toContain("plugin helper 1.2.0 from acme-tools");
  expect(existsSync(join(home, ".config/toolcrib/plugins/helper/.toolcrib-source.json"))).toBe(true);
  write(".toolcrib/plugins/own/plugin.json", JSON.stringify({ name: "own", mcpServers: { y: { command: "y" } } }));
  write(".toolcrib/plugins/own/.toolcrib-source.json", '{"path":"/x","marketplace":"acme-tools"}');
  expect((await cli("trust")).out + (await cli("plugins")).out).not.toMatch(/own.*acme-tools/);
});

test("a plugin comes from a git repository at one commit, and the same again by that commit", async () => {
  const market = {
    name: "acme-tools",
    plugins: [
      { name: "helper", source: "./helper" },
      { name: "out", source: "../.." },
    ],
  };
  const { cwd, home, cli, write } = machine(
    { "repo/.claude-plugin/marketplace.json": JSON.stringify(market) },
    "repo/helper",
  );
  const url = `file://${join(cwd, "repo")}`;
  const me = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  const git = (...argv: readonly string[]) =>
    execFileSync("git", [...me, ...argv], { cwd: join(cwd, "repo"), env: { ...process.env, HOME: home } })
      .toString()
      .trim();
  const commit = () => {
    git("add", ".");
    git("commit", "-qm", "one");
    return git("rev-parse", "HEAD");
  };
  git("init", "-q");
  const first = commit();
  expect((await cli("plugins", "add", url, "--yes")).err).toContain(`toolcrib plugins add ${url} helper (it has`);
  expect((await cli("plugins", "add", url, "out", "--yes")).err).toContain("out leads out of");
  expect((await cli("plugins", "add", url, "helper")).status).not.toBe(0);
  const { status, out } = await cli("plugins", "add", url, "helper", "--yes");
  expect([status, out]).toEqual([0, expect.stringContaining(`from: ${url}#${first}`)]);
  expect((await cli("plugins")).out).toMatch(
    new RegExp(`helper\\s+1\\.2\\.0\\s+user, acme-tools, ${first.slice(0, 8)}`),
  );
  expect(existsSync(join(home, ".config/toolcrib/plugins/helper/.git"))).toBe(false);
  write("repo/helper/.claude-plugin/plugin.json", JSON.stringify({ name: "helper", version: "2.0.0" }));
  commit();
  await cli("plugins", "add", url, "helper", "--yes");
  expect((await cli("plugins")).out).toMatch(/helper\s+2\.0\.0/);
  await cli("plugins", "add", `${url}#${first}`, "helper", "--yes");
  expect((await cli("plugins")).out).toMatch(/helper\s+1\.2\.0/);
  expect((await cli("plugins", "add", `${url}#nowhere`, "helper", "--yes")).err).toMatch(
    /cannot be fetched: .*nowhere/s,
  );
  expect((await cli("plugins", "add", "http://127.0.0.1/x.git", "--yes")).err).toContain("take an https address");
  expect((await cli("plugins", "add", `ext::touch ${join(cwd, "ran")}`, "--yes")).err).toContain("there is no ");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("what is no plugin, leads out of itself, or has a broken manifest costs only itself", needs("tar"), async () => {
  const { cwd, cli } = machine({
    ".toolcrib/plugins/broken/plugin.json": "{ nothing",
    ".toolcrib/plugins/outside/plugin.json": JSON.stringify({ name: "outside", agents: "../../../.." }),
    ".toolcrib/plugins/empty/readme.txt": "nothing",
  });
  const { err, out } = await cli("plugins");
  expect(err).toContain("the plugin in .toolcrib/plugins/broken is left out");
  expect(err).toContain("which is outside the plugin");
  expect(out).toContain("There are no plugins.");
  mkdirSync(join(cwd, "links"), { recursive: true });
  execFileSync("ln", ["-s", "/etc/passwd", "links/passwd"], { cwd });
  execFileSync("tar", ["-cf", "links.tar", "links"], { cwd });
  const refused = await cli("plugins", "add", "links.tar", "--yes");
  expect(refused.err).toContain("links are not taken");
  expect((await cli("plugins", "add", "play.yaml", "--yes")).err).toContain("no tar archive");
  expect((await cli("plugins", "remove", "nobody", "--yes")).err).toContain('there is no plugin "nobody"');
});

test("a plugin that a person was asked about stands beside their other ones and below the configuration", async () => {
  const { home, cli } = machine({ user: "mcpServers: { marker: { command: mine } }\n" }, "vendor/helper");
  const other = join(home, "other/plugin.json");
  mkdirSync(dirname(other), { recursive: true });
  writeFileSync(other, JSON.stringify({ mcpServers: { own: { command: "other", unknownKey: 1 } } }));
  await cli("plugins", "add", "vendor/helper", "--yes");
  await cli("plugins", "add", join(home, "other"), "--yes");
  expect((await cli("config", "mcpServers.marker.command")).out).toContain("mine");
  expect((await cli("config", "mcpServers.own.command")).out).toContain("other");
});

test("before a plugin is added, what it brings is shown and nothing else", async () => {
  const { cli } = machine({
    "small/plugin.json": JSON.stringify({ name: "small" }),
    "small/commands/review.md": "Review $ARGUMENTS\n",
  });
  const { out } = await cli("plugins", "add", "./small", "--yes");
  expect(out.split("\n").slice(0, -2)).toEqual(["small", "  commands.review.prompt: Review $ARGUMENTS"]);
});
