import { afterEach, expect, test } from "vitest";
import { openInside } from "../../../../test/support/inside-session.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { WIRE_NAMES } from "../../models/model.ts";
import { createExchange } from "./exchange.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** Two exchanges of one session: the first keeps its payloads, the second never does. */
async function begin() {
  const tools = Array.from({ length: 6 }, (_, at) =>
    defineTool(`svc_${at}`, {
      description: `Does job ${at}`,
      parameters: { type: "object", properties: { what: { type: "string" } } },
      defer: at < 4 ? "auto" : "never",
      handler: () => "done",
    }),
  );
  const { session, inside } = await openInside({
    ...{ workspace: null, builtins: [], tools, toolSearch: "on", permissions: { allow: ["*"] } },
    systemPrompt: "Be brief.",
  });
  open.push(session);
  return { session, keeping: createExchange(inside, () => {}), plain: createExchange(inside, () => {}) };
}

/** All that a request takes of a payload, and what its names mean. */
function toText({ tools, system, deferral, boundary, loadable, notices, names }: ReturnType<typeof payloadOf>): string {
  const wireNames = Array.from({ length: 6 }, (_, at) => names.fromProvider(names.toProvider(`svc_${at}`)));
  return JSON.stringify([tools, system, deferral, boundary, [...loadable.keys()], notices, wireNames]);
}

const payloadOf = ({ plain }: Awaited<ReturnType<typeof begin>>, wire: (typeof WIRE_NAMES)[number], names: string[]) =>
  plain.payload(wire, { promoted: new Set(names) });

test.each(WIRE_NAMES)("%s: a payload is kept while it would say the same, and only then", async (wire) => {
  const both = await begin();
  const { session, keeping } = both;
  const again = (names: string[] = []) => {
    const payload = keeping.payloadAgain(wire, new Set(names));
    expect(toText(payload)).toBe(toText(payloadOf(both, wire, names)));
    return payload;
  };
  const first = again();
  expect(again()).toBe(first);
  // A search loads a tool: first beside the history that loads it, then without.
  await session.call("tool_search", { query: "select:svc_1" });
  const loaded = again(["svc_1"]);
  expect(loaded).not.toBe(first);
  expect(again(["svc_1"])).toBe(loaded);
  expect(again()).not.toBe(loaded);
  expect(again(["svc_1"])).not.toBe(loaded);
  // Its tools change.
  const before = again();
  await session.updateOptions({ excludedTools: ["svc_5"] });
  const after = again();
  expect(after).not.toBe(before);
  expect(JSON.stringify(after.tools)).not.toContain("svc_5");
  expect(again()).toBe(after);
});

test("what anybody else asked for in between is another object, and changes nothing of the kept one", async () => {
  const { keeping } = await begin();
  const kept = keeping.payloadAgain("openai-chat", new Set());
  const others = keeping.payload("openai-chat");
  expect(others).not.toBe(kept);
  others.tools.length = 0;
  expect(keeping.payloadAgain("openai-chat", new Set())).toBe(kept);
  expect(kept.tools).not.toEqual([]);
});
