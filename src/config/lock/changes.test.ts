import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { Scene } from "../../core/scene/scene.ts";
import { toTool } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import { toScene } from "../to-scene.ts";
import { approve, buildLock, isLaunchChanged, listChanges, listLaunches } from "./changes.ts";
import { type Lock, toPins } from "./lock.ts";

const names = Array.from({ length: 3_000 }, (_, at) => `p${String(at).padStart(4, "0")}`);

/** A tool with more lines than anybody reads; the last property says this. */
function list(last: string) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const inputSchema = { type: "object", properties: { ...properties, zz: { description: last } } };
  return {
    catalog: buildCatalog([toTool({ name: "long", source: "mcp", server: "s", description: "d", inputSchema })]),
  };
}

const held = (lock: Lock) => ({ path: "/nowhere/toolcrib.lock", lock });

test("what changed is shown however far down it stands", async () => {
  const lock = buildLock(list("the last"), new Map(), null);
  const [change] = await listChanges(list("run this first"), new Map(), held(lock));
  expect(change).toMatchObject({ kind: "changed", tool: "s/long" });
  const shown = change?.diff.filter(({ mark }) => mark !== " ").map(({ mark, text }) => `${mark}${text.trim()}`);
  expect(shown).toEqual(['-"description": "the last"', '+"description": "run this first"']);
});

test("of a new tool no more is shown than somebody may read", async () => {
  const lock = buildLock({ catalog: buildCatalog([]) }, new Map(), null);
  const [change] = await listChanges(list("the last"), new Map(), held(lock));
  expect(change).toMatchObject({ kind: "new", tool: "s/long" });
  expect(change?.diff.length).toBeLessThan(2_100);
});

test("a server whose tools are pinned and that is gone from the lock is held back like a changed one", async () => {
  const config = await createWorkspace({ user: "mcpServers: { s: { command: run }, t: { command: run } }" }).load();
  const lock = buildLock(list("the last"), config.servers, null);
  const cut = { ...lock, servers: new Map([...lock.servers].filter(([name]) => name !== "s")) };
  expect([...config.servers.values()].map((server) => isLaunchChanged(server, lock))).toEqual([false, false]);
  expect([...config.servers.values()].map((server) => isLaunchChanged(server, cut))).toEqual([true, false]);
  const [change] = listLaunches(config.servers, cut);
  expect(change).toMatchObject({ id: "launch:s", remark: expect.stringContaining("not how it was started") });
  const pins = toPins({ path: "/l", file: "toolcrib.lock", lock: cut, lines: new Map() });
  const { catalog } = list("the last");
  const gate = (scene: Scene) =>
    buildToolset(catalog, scene).placements[0]?.trace.flatMap(({ reason }) => (reason ? [reason.code] : []));
  expect(gate(toScene(config, { pins }))).toContain("trust.changed");
  if (change === undefined) throw new Error("nothing waits");
  const again = approve(cut, change, { catalog }, config.servers);
  expect([...config.servers.values()].map((server) => isLaunchChanged(server, again))).toEqual([false, false]);
});

test("a server that is switched off keeps how it was started", async () => {
  const { write, load } = createWorkspace({ user: "mcpServers: { s: { command: run } }" });
  const lock = buildLock(list("the last"), (await load()).servers, null);
  write("user", "mcpServers: { s: { command: run, enabled: false } }");
  const later = buildLock({ catalog: buildCatalog([]) }, (await load()).servers, lock);
  expect(later).toEqual(lock);
});
