import { describe, expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { DEFAULT_SCENE } from "../../src/core/scene/default-scene.ts";
import { rankWords } from "../../src/core/search/rank-words.ts";
import { SearchIndex } from "../../src/core/search/search-index.ts";
import { type ToolFields, toTool } from "../../src/core/tool/tool.ts";
import { buildToolset, rebuildToolset } from "../../src/core/toolset/build-toolset.ts";
import { explain } from "../../src/core/toolset/explain.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { toListText } from "../../src/runtime/report/list-text.ts";
import { growthExponent } from "../fixtures/counted-work.ts";

const TOOLS = 100;

function makeFields(count: number): readonly ToolFields[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `list_records_${at}`,
    source: "mcp",
    server: `server-${at % 50}`,
    description: `Returns the records of the account in a stable order, with their owner and state. Number ${at}.`,
    inputSchema: {
      type: "object",
      properties: {
        owner: { type: "string", description: `The owner of the records ${at}` },
        limit: { type: "integer", minimum: 1 },
      },
      required: ["owner"],
    },
  }));
}

/** New tools each time, since everything that is known about one is kept with it. */
const assemble = (fields: readonly ToolFields[]): Toolset =>
  buildToolset(buildCatalog(fields.map(toTool)), DEFAULT_SCENE);

describe("the work grows hardly more than in proportion to the number of tools", () => {
  test.each([
    [
      "to assemble",
      (count: number) => {
        const fields = makeFields(count);
        return () => assemble(fields);
      },
    ],
    [
      "to explain, by a name and by a misspelt one",
      (count: number) => {
        const toolset = assemble(makeFields(count));
        return () => ["server-7/list_records_57", "list_recrods_57"].map((name) => explain(toolset, name));
      },
    ],
    [
      "to list",
      (count: number) => {
        const toolset = assemble(makeFields(count));
        return () => toListText({ toolset, notices: [] }, toolset.placements);
      },
    ],
    [
      "to assemble again after one changed",
      (count: number) => {
        const built = assemble(makeFields(count));
        const tools = built.catalog.entries.map(({ tool }) => tool);
        tools[57] = toTool({ name: "changed", source: "mcp", server: "server-7" });
        return () => rebuildToolset(built, buildCatalog(tools, { previous: built.catalog }));
      },
    ],
    [
      "to index for search",
      (count: number) => {
        const fields = makeFields(count);
        return () => toIndex(fields);
      },
    ],
    [
      "to search",
      (count: number) => {
        const index = toIndex(makeFields(count));
        const allowed = new Uint8Array(index.slots.length).fill(1);
        return () => rankWords(index, "records of an owner", allowed);
      },
    ],
  ])("%s", (_, prepare) => {
    expect(growthExponent(TOOLS, prepare)).toBeLessThan(1.05);
  });
});

function toIndex(fields: readonly ToolFields[]): SearchIndex<string> {
  const index = new SearchIndex<string>();
  for (const { name, description = "", server = null, inputSchema } of fields)
    index.add(name, { name, description, server, inputSchema });
  return index;
}
