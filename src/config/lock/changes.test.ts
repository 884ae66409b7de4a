import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { Scene } from "../../core/scene/scene.ts";
import { toTool } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import { toTools } from "../../sources/mcp/to-tools.ts";
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

/** What a server lists that says this of its tool. */
function listAnnotated(annotations: object | undefined) {
  const about = { server: "s", group: null, defer: "auto", timeout: null } as const;
  return { catalog: buildCatalog(toTools([{ name: "t", title: "T", annotations }], about).tools) };
}

test.each([
  [{ title: "Reads" }, { title: "Deletes" }, ['-annotation title: "Reads"', '+annotation title: "Deletes"']],
  [undefined, { audience: ["model"] }, ['+annotation audience: ["model"]']],
  [{ "x-cost": 1 }, undefined, ["-annotation x-cost: 1"]],
  [undefined, { destructiveHint: true }, ["+annotation destructiveHint: true"]],
])("an annotation that changed is a change of the tool: %j to %j", async (before, after, diff) => {
  const lock = buildLock(listAnnotated(before), new Map(), null);
  expect(await listChanges(listAnnotated(before), new Map(), held(lock))).toEqual([]);
  const [change] = await listChanges(listAnnotated(after), new Map(), held(lock));
  expect(change).toMatchObject({ kind: "changed", tool: "s/t" });
  expect(change?.diff.filter(({ mark }) => mark !== " ").map(({ mark, text }) => `${mark}${text}`)).toEqual(diff);
  const pins = toPins({ path: "/l", file: "toolcrib.lock", lock, lines: new Map() });
  const scene = toScene(await createWorkspace({}).load(), { pins });
  const [placement] = buildToolset(listAnnotated(after).catalog, scene).placements;
  expect(placement?.trace.flatMap(({ reason }) => reason?.code ?? [])).toContain("trust.changed");
});

test("a lock from before annotations were pinned still holds, and the next one pins them", async () => {
  const listed = listAnnotated({ audience: ["user"] });
  const now = buildLock(listed, new Map(), null);
  const [entry] = listed.catalog.entries;
  const pinned = now.tools.get("s/t");
  if (entry === undefined || pinned === undefined) throw new Error("nothing is pinned");
  const earlier = { ...now, tools: new Map([["s/t", { ...pinned, signature: entry.signature }]]) };
  expect(await listChanges(listed, new Map(), held(earlier))).toEqual([]);
  expect(await listChanges(listAnnotated({ audience: ["model"] }), new Map(), held(earlier))).toEqual([]);
  expect(buildLock(listed, new Map(), earlier)).toEqual(now);
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
