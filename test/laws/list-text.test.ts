import fc from "fast-check";
import { expect, test } from "vitest";
import { toListText } from "../../src/runtime/report/list-text.ts";
import { toListDocument } from "../../src/runtime/report/toolset-rows.ts";
import { anyWorld } from "../fixtures/arbitraries.ts";
import { createWorldBuilder } from "./build-world.ts";

const build = createWorldBuilder();

test("the text of a list, written row by row, is that of its document", () => {
  fc.assert(
    fc.property(anyWorld, fc.boolean(), (world, isWhole) => {
      const toolset = build(world);
      const answered = { toolset, notices: toolset.notices };
      const shown = toolset.placements.filter(({ standing }) => isWhole || standing === "hidden");
      expect(toListText(answered, shown)).toBe(JSON.stringify(toListDocument(answered, shown)));
    }),
    { numRuns: 100 },
  );
});

test("so is that of many tools, some of them named like nothing else", () => {
  const tools = Array.from({ length: 300 }, (_, at) => ({
    name: at % 7 === 0 ? `get "${at}"\n\u2028` : `get_${at}`,
    ...{ source: "mcp", server: `server-${at % 3}` },
  }));
  const toolset = build({ tools, options: { excludeTools: ["server-1/*"] } });
  const answered = { toolset, notices: toolset.notices };
  const text = toListText(answered, toolset.placements);
  expect(text).toBe(JSON.stringify(toListDocument(answered, toolset.placements)));
});
