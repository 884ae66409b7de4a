import { describe, expect, test } from "vitest";
import { aWorld } from "../../../test/fixtures/builders.ts";

const TOOLS = [{ name: "lead", internal: "coordinator-only" }, { name: "view" }];
const agents = (fields: object = {}) => ({ agent: "a", agents: [{ name: "a", ...fields }] });

describe("tools for agents that direct others", () => {
  test.each([
    ["nobody is selected, at the top level", {}, ["lead", "view"]],
    ["an agent is selected that directs nobody", agents(), ["view"]],
    ["it names the tool all the same", agents({ tools: ["lead", "view"] }), ["view"]],
    ["the selected agent directs others", agents({ coordinator: true }), ["lead", "view"]],
    ["it does, and its own list leaves the tool out", agents({ coordinator: true, tools: ["view"] }), ["view"]],
  ])("when %s", (_, options, visible) => {
    expect(aWorld({ tools: TOOLS, options }).visible).toEqual(visible);
  });

  test("say which agent to change", () => {
    const [line] = aWorld({ tools: TOOLS, options: agents() }).find("lead").trace;
    expect(line).toMatchObject({ gate: "agent", reason: { code: "agent.coordinator-only" } });
    expect(line?.reason.fix).toContain('set coordinator: true for agent "a"');
  });
});

describe("a server behind a feature flag", () => {
  const tools = [
    { name: "get", source: "mcp", server: "s", inputSchema: { type: "object" } },
    { name: "put", source: "mcp", server: "s", inputSchema: { type: "object" }, feature: "puts" },
  ];
  const options = (features: object) => ({ servers: { s: { feature: "beta" } }, features });

  test("offers its tools once the flag is on, and theirs too", () => {
    expect(aWorld({ tools, options: options({}) }).visible).toEqual([]);
    expect(aWorld({ tools, options: options({ beta: true }) }).visible).toEqual(["s__get"]);
    expect(aWorld({ tools, options: options({ beta: true, puts: true }) }).visible).toEqual(["s__get", "s__put"]);
  });

  test("names the place that asks for the flag, or the one that turns it off", () => {
    const origins = (features: object) =>
      aWorld({ tools, options: options(features) })
        .find("s__get")
        .trace.map(({ reason }) => reason.origin);
    expect(origins({})).toMatchObject([{ kind: "world", path: "options.servers.s.feature" }]);
    expect(origins({ beta: false })).toMatchObject([{ kind: "world", path: "options.features.beta" }]);
  });
});

describe("a name that a server's tool shares with one without a server", () => {
  const mcp = { name: "create", source: "mcp", server: "git", inputSchema: { type: "object" } };

  test.each([
    ["builtin", "git__create", "git/create"],
    ["module", "git__create", "git/create"],
    ["external", "git/create", "git__create"],
  ])("belongs to the first in the catalog: %s", (source, winner, loser) => {
    const world = aWorld({ tools: [{ name: "git__create", source, inputSchema: { type: "object" } }, mcp] });
    const of = (id: string) => world.placements.find(({ entry }) => entry.identity === id);
    expect(of(winner)).toMatchObject({ standing: "visible", entry: { wireName: "git__create" } });
    expect(of(loser)).toMatchObject({
      standing: "hidden",
      trace: [{ gate: "duplicate", reason: { text: expect.stringContaining('"git__create" belongs to') } }],
    });
  });

  test("is free for both where only cleaning makes them meet, and where somebody renamed one", () => {
    const cleaned = aWorld({ tools: [{ name: "git__create.it" }, { ...mcp, name: "create_it" }] });
    expect(cleaned.visible).toHaveLength(2);
    const renamed = aWorld({ tools: [{ name: "git__create" }, { ...mcp, rename: "make" }] });
    expect(renamed.visible).toEqual(["git__create", "make"]);
  });
});

describe("the two lists of a filter", () => {
  test("are called what their writer called them", () => {
    const tools = [{ name: "a" }, { name: "b" }];
    const said = aWorld({ tools, options: { availableTools: ["a", "x"], excludedTools: ["y"] } });
    expect(said.notices.map(({ text }) => text.split(" ", 1)[0])).toEqual(["availableTools", "excludedTools"]);
    expect(said.find("b").trace[0]?.reason).toMatchObject({
      text: "not in availableTools",
      fix: expect.stringContaining("to availableTools ("),
    });
    const none = () => aWorld({ tools, options: { availableTools: [] } });
    expect(none).toThrow(/^availableTools is empty/);
    const usual = aWorld({ tools, options: { includeTools: ["a", "x"] } });
    expect(usual.notices[0]?.text).toMatch(/^includeTools /);
  });
});
