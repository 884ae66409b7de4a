import { describe, expect, test } from "vitest";
import { buildCatalog } from "../catalog/catalog.ts";
import { payloadFor } from "../dialects/dialects.ts";
import { readWorld } from "../scene/world.ts";
import { toTool } from "../tool/tool.ts";
import { buildToolset } from "./build-toolset.ts";
import { explain } from "./explain.ts";
import { toPromptSections } from "./prompt-sections.ts";

const served = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    toTool({ name: `t${at}`, server: "s", source: "mcp", description: "Does it" }),
  );
const VIEW = toTool({ name: "view" });

function place(options: object, tools = [VIEW, ...served(3)]) {
  const toolset = buildToolset(buildCatalog(tools), readWorld({ options }, "test").scene);
  const names = (standing: string) =>
    toolset.placements.filter((one) => one.standing === standing).map(({ entry }) => entry.wireName);
  return { toolset, visible: names("visible"), deferred: names("deferred"), hidden: names("hidden") };
}

describe("tools called from code (K1)", () => {
  test("off: nothing of it is there", () => {
    expect(place({})).toMatchObject({ visible: ["view", "s__t0", "s__t1", "s__t2"], deferred: [] });
    expect(place({ toolSearch: "on" }).visible).toEqual(["view", "tool_search"]);
  });

  test("on: one tool stands for all that search could stand for, and the names of those cost nothing", () => {
    const { toolset, visible, deferred } = place({ code: "on", toolSearch: "on" });
    expect(visible).toEqual(["view", "run_code"]);
    expect(deferred).toEqual(["s__t0", "s__t1", "s__t2"]);
    const { tools } = payloadFor("anthropic", toolset);
    expect(tools.map(({ name }) => name)).toEqual(["view", "run_code"]);
    expect(JSON.stringify(tools)).toContain("The servers: s");
    expect(JSON.stringify(toPromptSections(toolset))).not.toContain("s__t0");
  });

  test("a thousand tools cost a few hundred tokens", () => {
    const { tools } = payloadFor("openai-chat", place({ code: "on" }, served(1_000)).toolset);
    expect(JSON.stringify(tools).length).toBeLessThan(4 * 500);
  });

  test("auto: only where definitions are too many or too large", () => {
    expect(place({ code: "auto" }).visible).not.toContain("run_code");
    expect(place({ code: "auto" }, served(31)).visible).toEqual(["run_code"]);
    expect(place({ code: "auto", toolSearch: "off" }, served(31)).visible).toEqual(["run_code"]);
  });

  test("auto: not where the model or the client searches by itself", () => {
    const model = { id: "m", capabilities: { toolSearch: "native" } };
    expect(place({ code: "auto", model }, served(31)).visible).toEqual(["tool_search"]);
    const client = { name: "claude-code" };
    expect(place({ code: "auto", client, toolSearch: { threshold: 5 } }, served(31)).visible).not.toContain("run_code");
  });

  test("why says who wanted it and what to change", () => {
    const answer = explain(place({ code: "on" }).toolset, "s/t0");
    expect(answer).toMatchObject({
      explanations: [
        {
          standing: "deferred",
          reasons: [{ gate: "budget", reason: { code: "budget.code", text: expect.stringContaining("run_code") } }],
          fixes: [expect.stringContaining("code: off")],
        },
      ],
    });
    expect(explain(place({ code: "on" }).toolset, "run_code")).toMatchObject({
      explanations: [{ standing: "visible" }],
    });
  });

  test("what may never wait stays, and filters do not take run_code away", () => {
    const pinned = toTool({ name: "pinned", server: "s", source: "mcp", defer: "never" });
    expect(place({ code: "on" }, [pinned, ...served(2)]).visible).toEqual(["s__pinned", "run_code"]);
    expect(place({ code: "on", includeTools: ["s/t1"] })).toMatchObject({ visible: ["run_code"], deferred: ["s__t1"] });
  });

  test("a denial of run_code does, and search is there again", () => {
    const { visible } = place({ code: "on", toolSearch: "on", permissions: { deny: ["run_code"] } });
    expect(visible).toEqual(["view", "tool_search"]);
  });

  test("it passes plan mode, where what changes things stays hidden (K6)", () => {
    const planning = place({ code: "on", mode: "plan" });
    expect(planning.visible).toContain("run_code");
    expect(planning.hidden).toContain("s__t0");
  });
});
