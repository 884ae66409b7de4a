import { afterEach, describe, expect, test } from "vitest";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

const record = (at: number, description = `Reads record ${at}. ${"It is long. ".repeat(20)}`) =>
  defineTool(`record_${at}`, { description, handler: async () => `record ${at}` });
const records = Array.from({ length: 12 }, (_, at) => record(at));

/** A window in which the definitions of three records fit at once. */
async function begin(options: SessionOptions = {}): Promise<Session> {
  const session = await createSession({
    builtins: "all",
    workspace: null,
    tools: records,
    toolSearch: { threshold: 5, percent: 10 },
    model: "small",
    models: { small: { contextWindow: 2_400 } },
    permissions: { allow: [...records.map(({ tool }) => tool.name), "tool_search"] },
    ...options,
  });
  open.push(session);
  return session;
}

const load = (session: Session, ...at: readonly number[]) =>
  session.call("tool_search", { query: `select:${at.map((one) => `record_${one}`).join(",")}` });
const loaded = (session: Session) =>
  session.toolset.placements
    .filter(({ entry, standing }) => standing === "visible" && entry.wireName.startsWith("record_"))
    .map(({ entry }) => entry.wireName);

describe("between turns (D8)", () => {
  test("the least recently used go, over the budget; inside a turn none does", async () => {
    const session = await begin();
    await load(session, 0, 1, 2, 3);
    expect(loaded(session)).toEqual(["record_0", "record_1", "record_2", "record_3"]);
    await session.call("record_0");
    expect(loaded(session)).toHaveLength(4);
    session.nextTurn();
    expect(loaded(session)).toEqual(["record_0", "record_2", "record_3"]);
    session.nextTurn();
    expect(loaded(session)).toHaveLength(3);
  });

  test("a prompt begins a turn, and so does a reply that calls nothing", async () => {
    const session = await begin();
    await load(session, 0, 1, 2, 3);
    await (await session.calls()).prompt("And now something else.");
    expect(loaded(session)).toHaveLength(3);
    await load(session, 4);
    session.payload("openai-chat");
    const end = { choices: [{ message: { role: "assistant", content: "Done." }, finish_reason: "stop" }] };
    for await (const _ of session.execute(end)) throw new Error("nothing was called");
    expect(loaded(session)).toHaveLength(3);
    expect(loaded(session).at(-1)).toBe("record_4");
  });

  test("what stands in the history stays: letting it go would save nothing", async () => {
    const session = await begin({
      models: { small: { contextWindow: 2_400, capabilities: { toolSearch: "native" } } },
    });
    await load(session, 0, 1, 2, 3);
    session.payload("anthropic");
    session.nextTurn();
    expect(loaded(session)).toHaveLength(4);
    session.payload("anthropic", { promoted: "inline" });
    session.nextTurn();
    expect(loaded(session)).toHaveLength(3);
  });
});

describe("resuming (D8)", () => {
  test("a later session goes on with the same tools, through JSON", async () => {
    const first = await begin();
    await load(first, 3, 1);
    const promoted = JSON.parse(JSON.stringify(first.promotions));
    const second = await begin({ promoted });
    expect(loaded(second)).toEqual(["record_3", "record_1"]);
  });

  test("but never with another tool under the same name (D5)", async () => {
    const first = await begin();
    await load(first, 3, 1);
    const changed = records.map((one, at) => (at === 1 ? record(1, "Deletes all records") : one));
    const second = await begin({ promoted: first.promotions, tools: changed });
    expect(loaded(second)).toEqual(["record_3"]);
    await load(second, 5);
    expect(second.promotions.names).toEqual(["record_3", "record_5"]);
  });

  test("a tool that is away for a while is there again when it comes back the same", async () => {
    const first = await begin();
    await load(first, 3, 1);
    const second = await begin({ promoted: first.promotions, tools: records.filter((_, at) => at !== 3) });
    expect(loaded(second)).toEqual(["record_1"]);
    await load(second, 5);
    second.nextTurn();
    expect(loaded(second)).toEqual(["record_1", "record_5"]);
    second.setTools("host", records);
    await second.refresh();
    expect(loaded(second)).toEqual(["record_1", "record_5", "record_3"]);
    second.setTools("host", [...records.slice(0, 3), record(3, "Deletes all records"), ...records.slice(4)]);
    await second.refresh();
    expect(loaded(second)).toEqual(["record_1", "record_5"]);
  });

  test("whatever was kept, nothing breaks and nothing unknown is loaded", async () => {
    const odd = { catalogHash: 7, names: [1, null, "record_1", "nope", "__proto__"], signatures: { record_1: 5 } };
    const session = await begin({ promoted: odd as never }); // A host may hand over anything.
    expect(loaded(session)).toEqual([]);
  });
});
