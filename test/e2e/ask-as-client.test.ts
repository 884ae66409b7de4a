import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, runBuilt } from "../support/built-cli.ts";
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

const RUN = 'As "toolcrib run" gets it; --client NAME for what a client gets';

test("questions are about a session of one's own, running or not, and about a client where it is named", {
  timeout: 180_000,
}, async () => {
  const machine = newcomer();
  const alone = [await machine.visible(), await machine.visible("--client", "cursor-vscode")];
  const firstLines = async () =>
    Promise.all(
      [["list"], ["why", "shop/shop_7"], ["why", "bash"], ["search", "shop_7"], ["diff", "base", "mode=plan"]].map(
        async (argv) => (await runHere(argv, machine)).err.split("\n").find((line) => line.startsWith("As ")),
      ),
    );
  expect(new Set(await firstLines())).toEqual(new Set([`${RUN}.`]));
  await startUp(machine);
  const { client } = await connectClient(machine, { name: "cursor-vscode" });
  await listsUntil(client, (tools) => tools.length >= 40);
  expect([await machine.visible(), await machine.visible("--client", "cursor-vscode")]).toEqual(alone);
  expect(new Set(await firstLines())).toEqual(new Set([`${RUN} (connected now: cursor-vscode).`]));

  const [own, asClient] = alone;
  expect(asClient?.shown).toEqual([...(await names(client))].sort());
  expect(asClient?.client).toContain('"cursor-vscode" searches by itself');
  // A session of one's own has the built-in tools, and so many tools that those of servers wait to be found.
  expect(own?.client).toBeUndefined();
  expect(own?.shown).toContain("bash");
  expect(own?.shown).not.toContain("shop__shop_7");
  const why = await runHere(["why", "bash", "--client", "cursor-vscode"], machine);
  expect([why.status, why.err.split("\n")[0]]).toEqual([
    1,
    'As the client "cursor-vscode" gets it; as "toolcrib run" gets it without --client.',
  ]);
  expect((await machine.visible("--client", "windsurf")).client).toContain("up to 100");
});

test("where nothing is configured, a client gets what up offers, and a session of one's own the built-in tools", async () => {
  const machine = newMachine();
  const shown = async (...argv: readonly string[]): Promise<readonly string[]> => {
    const { tools } = JSON.parse((await runBuilt(["list", "--json", "--standing", "visible", ...argv], machine)).out);
    return tools.map(({ name }: { readonly name: string }) => name).sort();
  };
  const alone = [await shown(), await shown("--client", "anybody")];
  const client = await (await startUpProcess(machine)).connect();
  await listsUntil(client, (tools) => tools.some((name) => name.startsWith("sample__")));
  expect([await shown(), await shown("--client", "anybody")]).toEqual(alone);
  expect(alone[0]).toContain("bash");
  expect(alone[1]).toEqual([...(await names(client))].sort());
});
