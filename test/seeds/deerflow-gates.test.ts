import { describe, expect, test } from "vitest";
import { toPromptSections } from "../../src/core/toolset/prompt-sections.ts";
import { aWorld } from "../fixtures/builders.ts";

/** Config tools of that product are module tools here. */
const config = (name: string, more: object = {}) => ({ name, source: "module", ...more });
const mcp = (name: string, more: object = {}) => ({ name, source: "mcp", server: "s", ...more });
const FRAMEWORK = [{ name: "view" }, { name: "skill" }];
const ask = (tools: readonly object[], options: object = {}) => aWorld({ tools, options });

test("the gates speak in the order of the flow: groups, host shell, model, then duplicates, skills, deferral", () => {
  const world = ask(
    [
      config("t"),
      config("t", {
        id: "copy",
        group: "bash",
        traits: { hostShell: true },
        requires: { vision: true },
        description: "b",
      }),
    ],
    { toolGroups: [], model: { id: "m" }, skills: [{ name: "k", allowedTools: ["view"] }] },
  );
  // Shown in the order of semantics section 5, which puts model first; what each gate decides is the seed's.
  expect(world.gates("copy")).toEqual(["model", "host-shell", "group", "skill", "duplicate"]);
});

describe("tool groups", () => {
  const tools = [config("fetch", { group: "web" }), config("read", { group: "file" }), { name: "view" }, mcp("get")];

  test("D01: no groups set, all config tools", () => {
    expect(ask(tools).visible).toEqual(["view", "fetch", "read", "s__get"]);
  });

  test("D02: groups [web] keep the web tool, built-ins and MCP tools without a group", () => {
    expect(ask(tools, { toolGroups: ["web"] }).visible).toEqual(["view", "fetch", "s__get"]);
  });

  test("D03: groups [] keep no config tool of a group; built-ins and MCP remain", () => {
    expect(ask(tools, { toolGroups: [] }).visible).toEqual(["view", "s__get"]);
  });

  test("D04: a group that nobody declares is no error and matches nothing", () => {
    const world = ask(tools, { toolGroups: ["nope"] });
    expect(world.visible).toEqual(["view", "s__get"]);
    expect(world.notices).toEqual([]);
  });

  test("groups reach MCP tools that declare one, by themselves or by their server (G6, wider than the seed)", () => {
    const grouped = [mcp("one", { group: "web" }), mcp("two"), { ...mcp("three"), server: "free" }];
    const world = ask(grouped, { toolGroups: ["docs"], servers: { s: { group: "docs" } } });
    expect(world.visible).toEqual(["free__three", "s__two"]);
  });
});

describe("host shell", () => {
  const shell = (name: string, more: object = {}) => [config(name, { traits: { hostShell: true }, ...more })];

  test("D05: no sandbox and no permission hide bash", () => {
    const world = ask(shell("bash"), { sandbox: { active: false, allowHostShell: false } });
    expect(world.codes("bash")).toEqual(["host-shell.no-sandbox"]);
  });

  test("D06, D07: a renamed shell is caught too, because what it does decides", () => {
    expect(ask(shell("shell")).codes("shell")).toEqual(["host-shell.no-sandbox"]);
    expect(ask(shell("harmless", { group: "misc" })).codes("harmless")).toEqual(["host-shell.no-sandbox"]);
  });

  test("D08: a tool that only shares the name or group passes", () => {
    expect(ask([config("bash", { group: "bash" })]).visible).toEqual(["bash"]);
  });

  test("D09: inside a sandbox bash is there", () => {
    expect(ask(shell("bash"), { sandbox: { active: true } }).visible).toEqual(["bash"]);
  });

  test("D10: without a sandbox section bash is absent; an open permission brings it", () => {
    expect(ask(shell("bash")).visible).toEqual([]);
    expect(ask(shell("bash"), { sandbox: { allowHostShell: true } }).visible).toEqual(["bash"]);
  });
});

test("D15: a config tool and another source's tool of one name: the config one is kept, the other is hidden, not dropped", () => {
  const world = ask([config("query"), { name: "query", source: "external", inputSchema: { type: "object" } }]);
  expect(world.find("query").entry.tool.source).toBe("module");
  expect(world.hidden).toEqual(["query"]);
  // An MCP tool has its server in front, so it does not even meet the config tool (N2).
  expect(ask([config("query"), mcp("query")]).visible).toEqual(["query", "s__query"]);
});

test("D18: a model without vision has no view_image; without any model the gate has nothing to judge (contract)", () => {
  const tools = [{ name: "view_image", requires: { vision: true } }, { name: "view" }];
  expect(ask(tools, { model: { id: "unknown" } }).codes("view_image")).toEqual(["model.lacks-capability"]);
  expect(ask(tools, { model: { capabilities: { vision: true } } }).visible).toEqual(["view", "view_image"]);
  expect(ask(tools).visible).toEqual(["view", "view_image"]);
});

describe("skills", () => {
  const tools = [...FRAMEWORK, { name: "x" }, { name: "y" }, { name: "z" }];
  const left = (...skills: object[]) => ask(tools, { skills }).visible;
  const skill = (name: string, allowedTools: readonly string[] | null, active = true) => ({
    name,
    active,
    allowedTools,
  });

  test("D21: none active, no filtering, whatever installed skills declare", () => {
    expect(left()).toEqual(["skill", "view", "x", "y", "z"]);
    expect(left(skill("A", ["x"], false), skill("B", [], false))).toEqual(["skill", "view", "x", "y", "z"]);
  });

  test("D22: A declares [x], B declares nothing: x and the framework tools", () => {
    expect(left(skill("A", ["x"]), skill("B", null))).toEqual(["skill", "view", "x"]);
  });

  test("D23: A [x], B [y]: the union", () => {
    expect(left(skill("A", ["x"]), skill("B", ["y"]))).toEqual(["skill", "view", "x", "y"]);
  });

  test("D24: A []: the framework tools only", () => {
    expect(left(skill("A", []))).toEqual(["skill", "view"]);
  });

  test("D25: only undeclared skills active: all tools", () => {
    expect(left(skill("A", null), skill("B", null))).toEqual(["skill", "view", "x", "y", "z"]);
  });

  test("D26: only names that do not exist: fail closed", () => {
    expect(left(skill("A", ["nope"]))).toEqual(["skill", "view"]);
  });

  test("D27: one known, one unknown: the known one, and a notice", () => {
    const world = ask(tools, { skills: [skill("A", ["x", "nope"])] });
    expect(world.visible).toEqual(["skill", "view", "x"]);
    expect(world.noticed("filter.unknown-name")).toEqual(["nope"]);
  });

  test("a tool of a server that is called like a framework tool is not one", () => {
    const world = ask([...tools, mcp("view"), mcp("skill"), mcp("tool_search")], { skills: [skill("A", [])] });
    expect(world.visible).toEqual(["skill", "view"]);
  });

  test("preapprove and off do not restrict", () => {
    for (const skillToolPolicy of ["preapprove", "off"])
      expect(ask(tools, { skillToolPolicy, skills: [skill("A", [])] }).visible.length).toBe(5);
  });
});

describe("deferred tools", () => {
  const local = [{ name: "view" }];
  const two = [mcp("b"), mcp("a")];

  test("D31: search off: all schemas, no tool_search", () => {
    expect(ask([...local, ...two], { toolSearch: "off" }).visible).toEqual(["view", "s__a", "s__b"]);
  });

  test("D32: search on, no MCP: no tool_search", () => {
    expect(ask(local, { toolSearch: "on" }).names).toEqual(["view"]);
  });

  test("D33: search on, two MCP and one local: the local one and tool_search; the prompt lists two names, sorted", () => {
    const world = ask([...local, ...two], { toolSearch: "on" });
    expect(world.visible).toEqual(["view", "tool_search"]);
    expect(toPromptSections(world).at(-1)?.text).toContain("s__a, s__b");
  });

  test("a tool that policy denies is neither deferred nor listed, and leaves no tool_search behind", () => {
    const world = ask([...local, ...two], { toolSearch: "on", policy: { deniedMcpServers: ["s"] } });
    expect(world.names).toEqual(["view", "s__a", "s__b"]);
    expect(world.deferred).toEqual([]);
    expect(toPromptSections(world)).toEqual([]);
  });

  test("D40: promoted under an old hash, the catalog changed: deferred again, unless the signature is known and the same (D5)", () => {
    const { catalog } = ask([...local, ...two]);
    const changed = [...local, mcp("a", { description: "other" }), mcp("b"), mcp("c")];
    const names = ["s__a", "s__b"];
    const asked = (promoted: object) => ask(changed, { toolSearch: "on", promoted }).visible;
    expect(asked({ catalogHash: catalog.hash, names })).toEqual(["view", "tool_search"]);
    const signatures = Object.fromEntries(catalog.entries.map(({ wireName, signature }) => [wireName, signature]));
    expect(asked({ catalogHash: catalog.hash, names, signatures })).toEqual(["view", "tool_search", "s__b"]);
  });

  test("D41: under one hash promotions add up, each once, in order", () => {
    const tools = [...local, mcp("a"), mcp("b"), mcp("c")];
    const { catalog } = ask(tools);
    const promoted = { catalogHash: catalog.hash, names: ["s__a", "s__b", "s__b", "s__c"] };
    expect(ask(tools, { toolSearch: "on", promoted }).visible).toEqual(["view", "tool_search", "s__a", "s__b", "s__c"]);
  });

  test("D42: an MCP name with a newline or < is hidden, and its siblings are kept", () => {
    const world = ask([mcp("a\nb"), mcp("<x>"), mcp("fine")]);
    expect(world.visible).toEqual(["s__fine"]);
  });
});
