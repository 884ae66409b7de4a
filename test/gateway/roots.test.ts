import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { packagedServer } from "../support/mcp-sources.ts";
import { oneFile } from "../support/one-file.ts";
import { type ConnectedClient, connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const ROOTS = oneFile(fileURLToPath(new URL("../fixtures/roots-server.mjs", import.meta.url)));

function world(entry: object = {}) {
  return openGateway({
    mcpServers: { it: { command: process.execPath, args: [ROOTS], ...entry } },
    includeTools: ["it"],
    permissions: { allow: ["it/*"] },
    toolSearch: "off",
  });
}

interface Seen {
  readonly heard: number;
  readonly roots: readonly string[];
  readonly refusals: readonly string[];
}

async function see({ client }: ConnectedClient): Promise<Seen> {
  return JSON.parse(textOf(await client.callTool({ name: "it__roots", arguments: {} })));
}

async function waitFor(client: ConnectedClient, fits: (seen: Seen) => boolean): Promise<Seen> {
  let seen = await see(client);
  for (const end = Date.now() + 30_000; !fits(seen) && Date.now() < end; seen = await see(client));
  return seen;
}

test("a server that runs already learns the roots of the only client, and learns them again when they change", async () => {
  const { url, crib } = await world();
  await crib.main.settled(AbortSignal.timeout(30_000));
  const roots = ["file:///first"];
  const only = await connect(url, "legacy", { roots });
  expect(await waitFor(only, (seen) => seen.roots.length > 0)).toMatchObject({ roots: ["file:///first"] });
  roots[0] = "file:///second";
  await only.client.sendRootsListChanged();
  expect(await waitFor(only, (seen) => seen.roots[0] !== "file:///first")).toMatchObject({ roots: ["file:///second"] });
});

test("of two clients that share a server neither's roots are told, and nobody is asked for them", async () => {
  const { url, crib } = await world();
  await crib.main.settled(AbortSignal.timeout(30_000));
  const [ada, bob] = [await connect(url, "legacy"), await connect(url, "legacy", { roots: ["file:///bob"] })];
  // It asked once when it started, with nobody there.
  const before = await waitFor(bob, ({ refusals }) => refusals.length > 0);
  await bob.client.sendRootsListChanged();
  expect(await see(ada)).toEqual(before);
  expect(await see(bob)).toEqual(before);
  expect(before.roots).toEqual([]);
  expect(bob.told.asked).toEqual([]);
});

test("with a process of its own for each client, each process knows its own client's roots", async () => {
  const { url } = await world({ isolation: "client" });
  const [ada, bob] = [
    await connect(url, "legacy", { roots: ["file:///ada"] }),
    await connect(url, "legacy", { roots: ["file:///bob"] }),
  ];
  const has = (root: string) => (seen: Seen) => seen.roots[0] === root;
  expect(await waitFor(ada, has("file:///ada"))).toMatchObject({ roots: ["file:///ada"] });
  expect(await waitFor(bob, has("file:///bob"))).toMatchObject({ roots: ["file:///bob"] });
  await ada.client.sendRootsListChanged();
  await waitFor(ada, ({ heard }) => heard > 0);
  expect(await see(bob)).toMatchObject({ roots: ["file:///bob"] });
});

test("a client that declares no roots says nothing about them, whatever it sends", async () => {
  const { url } = await world();
  const only = await connect(url, "legacy");
  const { heard } = await see(only);
  await only.client.transport?.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
  expect(await see(only)).toMatchObject({ heard, roots: [] });
});

test("the filesystem server of npm works in the folder that its client names, and in the next one", async () => {
  const { url, place } = await openGateway({
    mcpServers: { fs: { command: process.execPath, args: [packagedServer("filesystem"), "."] } },
    includeTools: ["fs"],
    permissions: { allow: ["fs/*"] },
    toolSearch: "off",
  });
  const folder = (name: string): string => {
    const path = join(place.cwd, name);
    mkdirSync(path);
    return realpathSync(path);
  };
  const [first, second] = [folder("first"), folder("second")];
  const roots = [pathToFileURL(first).href];
  const { client } = await connect(url, "legacy", { roots });
  const allowed = async () => textOf(await client.callTool({ name: "fs__list_allowed_directories", arguments: {} }));
  const becomes = (path: string) =>
    vi.waitFor(async () => expect(await allowed()).toContain(path), { timeout: 30_000, interval: 100 });
  await becomes(first);
  roots[0] = pathToFileURL(second).href;
  await client.sendRootsListChanged();
  await becomes(second);
  expect(await allowed()).not.toContain(first);
});
