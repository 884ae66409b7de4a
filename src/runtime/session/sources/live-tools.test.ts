import { describe, expect, test } from "vitest";
import { aTool } from "../../../../test/fixtures/builders.ts";
import { growthExponent } from "../../../../test/fixtures/counted-work.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import { CONNECTED, type Source } from "../../../sources/source.ts";
import { createLiveTools } from "./live-tools.ts";

/** A source in this process whose list is another one when told so. */
function aSource(name: string): { readonly source: Source; relist(tools: readonly Tool[]): void } {
  const listeners = createChangeListeners();
  let listed: readonly Tool[] = [];
  const source: Source = {
    ...{ kind: "external", name, status: CONNECTED },
    get tools() {
      return listed;
    },
    list: async () => listed,
    changes: listeners.add,
    run: async () => ({ resultType: "success", textResultForLlm: "", toolTelemetry: {} }),
    close: async () => {},
  };
  return {
    source,
    relist(tools) {
      listed = tools;
      listeners.emit();
    },
  };
}

function live(count: number) {
  const tools = createLiveTools({ onChange: () => {}, onError: () => {} });
  const sources = Array.from({ length: count }, (_, at) => aSource(`source-${at}`));
  for (const { source } of sources) tools.add(source);
  return { tools, sources };
}

describe("tools of sources that come and change", () => {
  test("a tool belongs to the source that lists it now", async () => {
    const { tools, sources } = live(2);
    const [one, other] = sources;
    const [first, second] = [aTool("first"), aTool("second")];
    one?.relist([first]);
    expect(tools.sourceOf(first)).toBe(one?.source);
    expect(tools.sourceOf(second)).toBeUndefined();
    one?.relist([]);
    other?.relist([first, second]);
    expect([tools.sourceOf(first), tools.sourceOf(second)]).toEqual([other?.source, other?.source]);
    if (other !== undefined) await tools.remove(other.source);
    expect([tools.sourceOf(first), tools.sourceOf(second)]).toEqual([undefined, undefined]);
    one?.relist([first]);
    await tools.close();
    expect(tools.sourceOf(first)).toBeUndefined();
  });

  test("the work until all have listed grows in proportion to them", () => {
    const exponent = growthExponent(30, (count) => {
      const { tools, sources } = live(count);
      const lists = sources.map((_, at) => [aTool(`a${at}`), aTool(`b${at}`)]);
      return () => {
        for (const [at, { relist }] of sources.entries()) relist(lists[at] ?? []);
        return lists.map(([tool]) => tool && tools.sourceOf(tool));
      };
    });
    expect(exponent).toBeLessThan(1.05);
  });
});
