import { describe, expect, test } from "vitest";
import { buildCatalog } from "../catalog/catalog.ts";
import { DEFAULT_SCENE } from "../scene/default-scene.ts";
import type { Builtins, Scene } from "../scene/scene.ts";
import { type Tool, toTool } from "../tool/tool.ts";
import { buildToolset } from "../toolset/build-toolset.ts";
import { explain } from "../toolset/explain.ts";
import type { Toolset } from "../toolset/toolset.ts";
import { findOff } from "./builtins.ts";

const bash = toTool({ name: "bash", traits: { hostShell: true } });
const view = toTool({ name: "view", aliases: ["readFile"], traits: { readOnly: true, openWorld: false } });
const ask = toTool({ name: "ask_user", requires: ["userInput"] });
const host = (name: string, more: object = {}) =>
  toTool({ name, source: "external", owner: { kind: "host", name: "host" }, ...more });

describe("built-ins that are off", () => {
  test("are hidden, and `why` names the setting to change", () => {
    const answer = explain(place([bash, view], "off"), "bash");
    expect(answer).toMatchObject({
      kind: "found",
      explanations: [{ standing: "hidden", fixes: [expect.stringContaining('set builtins to ["bash"], or to "all"')] }],
    });
  });

  test("own no name: a host's tool needs no flag, and looks like nothing", () => {
    const toolset = place([bash, view, host("view"), host("BASH")], "off");
    expect(visible(toolset)).toEqual(["BASH (external)", "view (external)"]);
    expect(() => place([view, host("view")], "all")).toThrow(/overridesBuiltInTool/);
  });

  test("leave their names and aliases to whatever else has them", () => {
    const fetched = toTool({ name: "readFile", source: "mcp", server: "files" });
    const exclude = (which: Builtins["which"]) => excluded(place([view, fetched, host("other")], which, EXCLUDE));
    expect(exclude("off")).toEqual(["files/readFile"]);
    expect(exclude("all")).toEqual(["view"]);
  });

  test("are chosen by what they promise, or by name", () => {
    expect(visible(place([bash, view], "read"))).toEqual(["view (builtin)"]);
    expect(visible(place([bash, view], new Set(["bash"])))).toEqual(["bash (builtin)"]);
    expect(explain(place([bash, view], new Set(["bash"])), "view")).toMatchObject({
      explanations: [{ fixes: ['add "view" to builtins'] }],
    });
  });

  test("do not include what comes with a handler of the host", () => {
    const asking = { ...DEFAULT_SCENE.host, userInput: { value: true, origin: { kind: "default" } } } as const;
    expect(visible(place([ask], "off", { host: asking }))).toEqual(["ask_user (builtin)"]);
    expect(explain(place([ask], "off"), "ask_user")).toMatchObject({
      explanations: [{ standing: "hidden", reasons: [{ gate: "capability" }] }],
    });
    expect(visible(place([ask, host("ask_user")], "off"))).toEqual(["ask_user (external)"]);
  });

  test("are no tool that an exclude list leaves", () => {
    const only = { value: [{ value: "weather", origin: { kind: "default" } }], origin: { kind: "default" } } as const;
    const filter = { ...DEFAULT_SCENE.filter, exclude: only };
    expect(() => place([bash, host("weather")], "off", { filter })).toThrow(/leaves no tool/);
  });
});

const EXCLUDE = {
  filter: {
    ...DEFAULT_SCENE.filter,
    exclude: { value: [{ value: "readFile", origin: { kind: "default" } }], origin: { kind: "default" } },
  },
} as const satisfies Partial<Scene>;

/** Seen only where all built-ins can run commands. */
const SANDBOX = { ...DEFAULT_SCENE.sandbox, allowHostShell: { value: true, origin: { kind: "default" } } } as const;

function place(tools: readonly Tool[], which: Builtins["which"], more: Partial<Scene> = {}): Toolset {
  const scene = { ...DEFAULT_SCENE, sandbox: SANDBOX, builtins: { ...DEFAULT_SCENE.builtins, which }, ...more };
  return buildToolset(buildCatalog(tools, { isOff: findOff(scene) }), scene);
}

function visible({ placements }: Toolset): readonly string[] {
  return placements
    .filter(({ standing }) => standing === "visible")
    .map(({ entry }) => `${entry.wireName} (${entry.tool.source})`);
}

function excluded({ placements }: Toolset): readonly string[] {
  return placements.filter(({ trace }) => trace.some(({ gate }) => gate === "filter")).map(({ entry }) => entry.id);
}
