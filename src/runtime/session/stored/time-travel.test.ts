import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openInside } from "../../../../test/support/inside-session.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { explain } from "../../../core/toolset/explain.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { createScriptedModel } from "../../models/scripted-model.ts";
import { readWorldAt } from "../../report/stored-world.ts";
import type { Store } from "../../store/store.ts";
import { resumeSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import { forkSession, openStore } from "./stored-sessions.ts";

const tools = Array.from({ length: 60 }, (_, at) =>
  defineTool(`tool_${at}`, {
    description: `Does the thing number ${at} with what it is given, and says what came of it. `.repeat(3),
    parameters: z.object({ path: z.string().describe("where to do it"), count: z.number().describe("how often") }),
    handler: () => "done",
  }),
);

async function prepare(options: SessionOptions, around: (store: Store) => Store = (store) => store) {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const given = { workspace: null, tools, store: around(store), sessionId: "one", ...options };
  const { session, inside } = await openInside(given);
  onTestFinished(() => session.close());
  const worldAt = async (point: { seq: number } | { time: number } | null) => {
    const [found] = await store.sessions({ id: "one" });
    return readWorldAt(store, found ?? { id: "", events: 0 }, point);
  };
  return { store, session, inside, worldAt };
}

/** Everything that one could ask about a toolset, except objects that are merely new. */
const whatIs = ({ placements, notices, catalog }: Toolset) => ({
  placements: placements.map(({ entry, standing, trace }) => [entry.wireName, entry.signature, standing, trace]),
  notices,
  hash: catalog.hash,
});

test("the toolset of every request can be asked about later, with all reasons and origins (S9)", async () => {
  const replies = ["One.", "Two.", "Three."].map((text) => ({ text }));
  const { store, session, worldAt } = await prepare({
    modelClient: createScriptedModel({ replies }),
    customAgents: [{ name: "careful", description: "Careful", prompt: "", tools: ["tool_1", "tool_2"] }],
    permissions: { deny: ["tool_5"] },
    toolSearch: "on",
  });
  await expect(worldAt(null)).rejects.toMatchObject({ code: "store.no-world" });
  await session.run("first");
  const first = whatIs(session.toolset);
  const why = explain(session.toolset, "tool_5");
  const before = (await store.read("one")).length;
  await session.call("tool_search", { query: "select:tool_7" });
  await session.updateOptions({ agent: "careful", excludedTools: ["tool_2"] });
  await session.run("second");
  const second = whatIs(session.toolset);
  expect(second).not.toEqual(first);
  const early = await worldAt({ seq: before });
  expect(whatIs(early.toolset)).toEqual(first);
  expect(explain(early.toolset, "tool_5")).toEqual(why);
  expect(JSON.stringify(why)).toContain("createSession");
  expect(whatIs((await worldAt(null)).toolset)).toEqual(second);
  expect(whatIs((await worldAt({ time: Date.now() })).toolset)).toEqual(second);
  await expect(worldAt({ time: 0 })).rejects.toMatchObject({ code: "store.no-world" });
});

test("1,000 requests with 20 promotions cost at most twice one world (S9)", async () => {
  let size = 0;
  const counting = (store: Store): Store => ({
    ...store,
    async create(facts) {
      const journal = await store.create(facts);
      const seen = new Set<string>();
      const keep: typeof journal.keep = (parts) => {
        for (const [hash, text] of parts) if (!seen.has(hash)) size += hash.length + text.length;
        for (const hash of parts.keys()) seen.add(hash);
        return journal.keep(parts);
      };
      const append: typeof journal.append = (events, questions) => {
        const worlds = events.filter(({ type }) => type === "session.world_changed");
        size += worlds.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
        return journal.append(events, questions);
      };
      return Object.create(journal, { keep: { value: keep }, append: { value: append } });
    },
  });
  const { store, session, inside } = await prepare({ toolSearch: "on" }, counting);
  inside.request();
  await session.call("tool_search", { query: "select:tool_0" });
  const one = size;
  expect(one).toBeGreaterThan(10_000);
  for (let at = 0; at < 1_000; at += 1) {
    if (at % 50 === 0) await session.call("tool_search", { query: `select:tool_${1 + at / 50}` });
    inside.request();
  }
  await session.close();
  expect((await store.read("one")).filter(({ type }) => type === "session.world_changed")).toHaveLength(21);
  expect(size / one).toBeLessThan(2);
});

test("a resumed session tells of changed tools only where they differ, and a fork has its own worlds (S9, S12)", async () => {
  const replies = [{ text: "One." }];
  const { store, session } = await prepare({ modelClient: createScriptedModel({ replies }) });
  await session.run("first");
  await session.close();
  await forkSession("one", { store, sessionId: "two" });
  const told = async (id: string, options: SessionOptions) => {
    const again = await resumeSession(id, { workspace: null, tools, ...options, store });
    let count = 0;
    again.on("session.tools_updated", () => {
      count += 1;
    });
    await again.call("tool_1").catch(() => {});
    await new Promise(setImmediate);
    await again.close();
    return count;
  };
  expect(await told("one", {})).toBe(0);
  expect(await told("one", { excludedTools: ["tool_1"] })).toBe(1);
  await store.delete("one");
  const [fork] = await store.sessions({ id: "two" });
  const { toolset } = await readWorldAt(store, fork ?? { id: "", events: 0 }, null);
  expect(toolset.placements.map(({ entry }) => entry.wireName)).toContain("tool_59");
});
