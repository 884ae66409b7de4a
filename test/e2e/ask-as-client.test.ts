import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { listsUntil, names, newMachine, runHere, startUp, startUpProcess } from "../support/running-up.ts";
import { connectClient } from "./connected.ts";

beforeAll(ensureBuilt, 300_000);

const SERVER = fileURLToPath(new URL("../fixtures/many-tools-server.cjs", import.meta.url));
const server = (count: number, prefix: string) => ({
  command: process.execPath,
  args: [SERVER, `tools=${count}`, `prefix=${prefix}`],
});

/** A person with two servers of 20 tools each in Claude's file, and no configuration of ours. */
function newcomer() {
  const machine = newMachine();
  const mcpServers = { shop: server(20, "shop"), bank: server(20, "bank") };
  writeFileSync(join(machine.home, ".claude.json"), JSON.stringify({ mcpServers }));
  const visible = async (...argv: readonly string[]) => {
    const { out } = await runHere(["list", "--json", ...argv], machine);
    const { tools, client } = JSON.parse(out) as {
      tools: readonly { name: string; standing: string }[];
      client?: string;
    };
    const shown = tools.filter(({ standing }) => standing === "visible").map(({ name }) => name);
    return { client, shown: shown.sort() };
  };
  return { ...machine, visible };
}

test("beside a running Toolcrib, questions are answered as its client sees it", { timeout: 180_000 }, async () => {
  const machine = newcomer();
  await startUp(machine);
  const { client } = await connectClient(machine, { name: "cursor-vscode" });
  await listsUntil(client, (tools) => tools.length >= 40);
  const seen = [...(await names(client))].sort();
  const asked = await machine.visible();
  expect(asked.shown).toEqual(seen);
  expect(asked.client).toContain('"cursor-vscode" searches by itself');
  expect(await machine.visible("--fresh", "--client", "cursor-vscode")).toEqual(asked);

  const why = await runHere(["why", "shop/shop_7"], machine);
  expect(why.status).toBe(0);
  expect(why.out).toContain("shop/shop_7 is visible");
  expect(why.err).toContain(
    "As cursor-vscode sees it through Toolcrib; --client NAME for another, --fresh for a session of your own.",
  );
  const search = await runHere(["search", "shop_7"], machine);
  expect(search.err).toContain("As cursor-vscode sees it");
  expect((await runHere(["check", "shop/shop_7"], machine)).err).not.toContain("sees it");

  // A session of one's own has the built-in tools, and so many tools that those of servers wait to be found.
  const own = await machine.visible("--fresh");
  expect(own.client).toBeUndefined();
  expect(own.shown).toContain("bash");
  expect(own.shown).not.toContain("shop__shop_7");

  // Two of one row are one, two of different rows are any.
  await connectClient(machine, { name: "cursor" });
  expect((await machine.visible()).client).toContain("searches by itself");
  await connectClient(machine, { name: "windsurf" });
  expect((await machine.visible()).client).toContain("any client");
  expect((await runHere(["why", "shop/shop_7"], machine)).err).toContain("As an unknown client sees it");
  expect((await machine.visible("--client", "windsurf")).client).toContain("up to 100");
});

test("with other products' servers and nothing running, the answer is what up would offer", async () => {
  const machine = newcomer();
  const { client, shown } = await machine.visible();
  expect(client).toContain("any client");
  expect(shown).toHaveLength(40);
  machine.write("user", JSON.stringify({ mcpServers: { shop: server(40, "shop") } }));
  const own = await machine.visible();
  expect(own.client).toBeUndefined();
  expect(own.shown).not.toContain("shop__shop_7");
});

test("where nothing is configured, what runs is what is listed", async () => {
  const machine = newMachine();
  const client = await (await startUpProcess(machine)).connect();
  await listsUntil(client, (tools) => tools.some((name) => name.startsWith("sample__")));
  const { tools } = JSON.parse((await runHere(["list", "--json", "--standing", "visible"], machine)).out);
  const listed: readonly string[] = tools.map(({ name }: { readonly name: string }) => name);
  expect([...listed].sort()).toEqual([...(await names(client))].sort());
});
