import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const SERVER = fileURLToPath(new URL("../../../../test/fixtures/many-tools-server.cjs", import.meta.url));

/** A person with one server of that many tools. */
function withTools(count: number, more: object = {}) {
  const machine = createMachine();
  const shop = { command: process.execPath, args: [SERVER, `tools=${count}`, "prefix=shop"] };
  machine.write("user", JSON.stringify({ mcpServers: { shop }, ...more }));
  const ask = (...argv: readonly string[]) =>
    runCli(argv, { cwd: machine.cwd, env: { HOME: machine.home, PATH: process.env.PATH ?? "" } });
  const standings = async (...argv: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const { source, standing } of JSON.parse((await ask("list", "--json", ...argv)).out).tools) {
      const key = `${source} ${standing}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  };
  return { ask, standings };
}

test("list shows what the gateway would offer a client of that name", async () => {
  const { ask, standings } = withTools(140);
  expect((await standings()).get("mcp deferred")).toBe(140);
  const cursor = await standings("--client", "cursor-vscode");
  expect(cursor.get("mcp visible")).toBe(140);
  expect([...cursor.keys()].sort()).toEqual(["builtin hidden", "mcp visible"]);
  const code = await standings("--client", "Visual Studio Code");
  expect([code.get("mcp visible"), code.get("mcp deferred")]).toEqual([127, 13]);
  const { out } = await ask("list", "--client", "cursor", "--standing", "visible");
  expect(out).toContain('The client: "cursor" searches by itself, so it gets every tool (known client "cursor"');
});

test("why names the row that decided, also one that a configuration writes", async () => {
  const { ask } = withTools(3, { gateway: { knownClients: { mine: { maxTools: 2 } } } });
  const own = await ask("why", "shop/shop_3", "--client", "mine-2");
  expect(own.status).toBe(0);
  expect(own.out).toContain('"mine-2" takes 2 tools');
  expect(own.out).toMatch(/The client: "mine-2" gets every tool up to 2 .*config\.yaml:1/);
  const unknown = await ask("why", "shop/shop_3", "--client", "nobody");
  expect(unknown.out).toContain("(not a known client)");
  const builtin = await ask("why", "bash", "--client", "cursor");
  expect(builtin.status).toBe(1);
  expect(builtin.out).toContain("gateway.builtins");
  // Asked without starting a server, and yet there is one: the sample's read-only tools are off.
  expect((await ask("why", "view", "--client", "cursor")).out).toContain("built-in tools are off here");
});

test("list leaves out built-in tools that are off as a whole, and says so", async () => {
  const { ask } = withTools(2);
  const { out } = await ask("list", "--client", "cursor");
  expect(out.split("\n").slice(1, 3)).toEqual([
    expect.stringMatching(/^visible +shop\/shop_1 /),
    expect.stringMatching(/^visible +shop\/shop_2 /),
  ]);
  expect(out).toMatch(
    /\n\d+ built-in tools are off here \(gateway\.builtins\) and not listed above; --standing hidden/,
  );
  expect((await ask("list", "--client", "cursor", "--standing", "hidden", "--no-start")).out).toContain("apply_patch");
});

test("why names the file of another product that has the server", async () => {
  const machine = createMachine({ "toolcrib.yaml": "excludeTools: []\n" });
  machine.write("../.claude.json", JSON.stringify({ mcpServers: { files: { command: "x" } } }));
  const why = async (name: string) =>
    (await runCli(["why", name, "--no-start"], { cwd: machine.cwd, env: { HOME: machine.home } })).err;
  expect(await why("files/read")).toContain(
    'server "files" is only in ~/.claude.json:1, which Toolcrib does not use here',
  );
  expect(await why("files/read")).toContain('"toolcrib init --config ~/.config/toolcrib/config.yaml"');
  expect(await why("github/create")).toContain('no server "github" is configured ("toolcrib add" adds one)');
});

test("search says for whom it looked", async () => {
  const { ask } = withTools(3);
  expect((await ask("search", "shop item", "--client", "codex")).out).toContain(
    'The client: "codex" searches by itself',
  );
  const { client } = JSON.parse((await ask("search", "shop item", "--client", "codex", "--json")).out);
  expect(client).toContain('"codex" searches by itself');
});

test("a world gets the client too, and no name is a mistake", async () => {
  const world = JSON.stringify({ tools: [{ name: "a", source: "mcp", server: "s" }], options: {} });
  const ask = (...argv: readonly string[]) => runCli(["why", "s/a", "--world", "-", ...argv], { stdin: world });
  expect((await ask("--client", "claude-code")).out).toContain('The client: "claude-code"');
  const { status, err } = await ask("--client", "");
  expect(status).toBe(2);
  expect(err).toContain("--client takes the name that a client gives itself");
});
