import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { buildLock } from "../../../config/lock/changes.ts";
import { toPins } from "../../../config/lock/lock.ts";
import { saveLock } from "../../../config/lock/lock-file.ts";
import { toScene } from "../../../config/to-scene.ts";
import { buildCatalog } from "../../../core/catalog/catalog.ts";
import { buildToolset } from "../../../core/toolset/build-toolset.ts";
import { toTools } from "../../../sources/mcp/to-tools.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";
import { openList } from "./known-list.ts";

const ABOUT = { server: "github", group: null, defer: "auto", timeout: null } as const;
const LISTED = [
  {
    ...{ name: "get_file", title: "Get a file", description: "Reads a file" },
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    outputSchema: { type: "object", properties: { text: { type: "string" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "delete_file", description: "Deletes a file", inputSchema: { type: "object" } },
];

/** Of alice, who has a login there, unless told otherwise. */
const identity = (more: Partial<UpstreamIdentity> = {}): UpstreamIdentity => ({
  ...{ kind: "person", key: "person:alice", login: "person alice", person: { issuer: "i", subject: "alice" } },
  ...{ proof: { kind: "nothing" }, state: async () => ({ kind: "ready" }), ...more },
});

async function world(credentials: string) {
  const workspace = createWorkspace();
  workspace.write("user", `mcpServers: { github: { url: "https://example.com/mcp", credentials: ${credentials} } }`);
  const config = await workspace.load();
  const server = config.servers.get("github");
  if (server === undefined) throw new Error("it is configured");
  return { config, server, lists: join(workspace.root, "lists"), path: join(workspace.cwd, "toolcrib.lock") };
}

const names = (list: Awaited<ReturnType<typeof openList>>) =>
  list?.earlier?.tools.map((tool) => (tool as { readonly name: string }).name) ?? null;

test("before a login the definitions of the lock are listed, and are just what was approved (O12)", async () => {
  const { config, server, path } = await world("person");
  const catalog = buildCatalog(toTools(LISTED, ABOUT).tools);
  const lock = await saveLock(
    { path, file: path, lock: null, lines: new Map() },
    buildLock({ catalog }, config.servers, null),
  );
  const list = await openList(server, { lock }, { lists: null, identity: identity(), isOnes: true });
  expect(names(list)?.sort()).toEqual(["delete_file", "get_file"]);
  const shown = buildCatalog(toTools(list?.earlier?.tools ?? [], ABOUT).tools);
  const { placements } = buildToolset(shown, toScene(config, { pins: toPins(lock) }));
  expect(placements.map(({ standing, trace }) => [standing, trace.map(({ reason }) => reason.code)])).toEqual([
    ["visible", []],
    ["visible", []],
  ]);
  // It is that of nobody's connection too, which would list nothing without a login.
  const nobody = identity({ key: "nobody", person: null });
  expect(names(await openList(server, { lock }, { lists: null, identity: nobody, isOnes: false }))).toHaveLength(2);
});

test("a person's connection reads what everybody's listed and writes nothing, and a login of this machine is another's (O12)", async () => {
  const { config, server, lists } = await world("person");
  const place = (more: Partial<UpstreamIdentity>, isOnes: boolean) => ({ lists, identity: identity(more), isOnes });
  const save = async (list: Awaited<ReturnType<typeof openList>>, name: string): Promise<void> => {
    list?.save({ tools: [JSON.stringify({ name, inputSchema: { type: "object" } })], instructions: null });
    await list?.close();
  };
  await save(await openList(server, config, place({}, true)), "of_alice");
  expect(names(await openList(server, config, place({}, true)))).toBeNull();
  // The person at this machine, with their own login.
  const owner = { key: "", person: null, proof: { kind: "entry" } } as const;
  await save(await openList(server, config, place(owner, false)), "of_the_owner");
  expect(names(await openList(server, config, place({}, true)))).toBeNull();
  expect(names(await openList(server, config, place(owner, false)))).toEqual(["of_the_owner"]);
  await save(await openList(server, config, place({ key: "nobody", person: null }, false)), "of_everybody");
  expect(names(await openList(server, config, place({}, true)))).toEqual(["of_everybody"]);
  expect(names(await openList(server, config, place(owner, false)))).toEqual(["of_the_owner"]);
});
