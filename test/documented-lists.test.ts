import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fileShape } from "../src/config/shape/file-shape.ts";
import { findOff } from "../src/core/gates/builtins.ts";
import { GATE_NAMES } from "../src/core/gates/gates.ts";
import { EXIT_PLAN, TASK_COMPLETE } from "../src/core/gates/mode.ts";
import { DEFAULT_SCENE } from "../src/core/scene/default-scene.ts";
import { HOST_NEEDS, type Scene } from "../src/core/scene/scene.ts";
import { factsOf, SOURCE_KINDS } from "../src/core/tool/source-kinds.ts";
import type { Tool } from "../src/core/tool/tool.ts";
import { AGENT_TOOL_NAMES, BUILTIN_TOOLS } from "../src/sources/builtin/definitions.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROSE = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file)),
];

function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

test("the servers of a kind stand in a setting that exists", () => {
  const served = SOURCE_KINDS.flatMap((kind) => factsOf(kind).served ?? []);
  expect(served.filter((setting) => !Object.hasOwn(fileShape.fields, setting))).toEqual([]);
});

test("the page of sources knows every kind", () => {
  const rows = [...read("docs/reference/sources.md").matchAll(/^\| `([^`]+)` +\| .* \| .* \|$/gm)];
  expect(rows.map(([, kind]) => kind).sort()).toEqual([...SOURCE_KINDS].sort());
});

test("the page of sources lists every built-in tool under the choice that brings it", () => {
  const page = read("docs/reference/sources.md");
  const [, always = "", able = "", agents = ""] =
    /^\| `read`, and `all` \| (.*); where they can work also (.*); where agents can be run, .*?(`.*) \|$/m.exec(page) ??
    [];
  const [, rest = ""] = /^\| `all` only \| (.*) \|$/m.exec(page) ?? [];
  const tools = BUILTIN_TOOLS.filter(({ name }) => !AGENT_TOOL_NAMES.includes(name));
  const isAlways = (tool: Tool) =>
    comes(tool, NO_HOST) &&
    !MODE_TOOLS.includes(tool.name) &&
    tool.requires.every((need) => PLAIN_NEEDS.includes(need));
  const comesWithRead = (tool: Tool) => READ_SCENES.some((scene) => comes(tool, scene));
  const listed = [always, able, agents, rest].map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(listed).toEqual([
    namesOf(tools.filter(isAlways)),
    namesOf(tools.filter((tool) => !isAlways(tool) && comesWithRead(tool))),
    namesOf(BUILTIN_TOOLS.filter(({ name }) => AGENT_TOOL_NAMES.includes(name))),
    namesOf(tools.filter((tool) => !comesWithRead(tool))),
  ]);
});

test("the rules name every gate", () => {
  const page = read("docs/reference/semantics.md");
  expect(GATE_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

// A number in prose is wrong as soon as somebody adds one, and nothing says so.
test.each(PROSE)("%s does not count gates", (page) => {
  expect(read(page)).not.toMatch(/\b(?:\d+|\w*teen|ten|eleven|twelve|twenty\w*) gates\b/i);
});

/** What nearly every session has, so that a tool that needs it is listed without a condition. */
const PLAIN_NEEDS = ["workspace", "vision"];
const MODE_TOOLS: readonly string[] = [EXIT_PLAN, TASK_COMPLETE];
const NO_HOST = readScene("default", false);
const READ_SCENES = (["default", "plan", "autopilot"] as const).map((mode) => readScene(mode, true));

function readScene(mode: Scene["mode"]["value"], isAble: boolean): Scene {
  return {
    ...DEFAULT_SCENE,
    builtins: { ...DEFAULT_SCENE.builtins, which: "read" },
    mode: { ...DEFAULT_SCENE.mode, value: mode },
    host: {
      ...DEFAULT_SCENE.host,
      ...Object.fromEntries(HOST_NEEDS.map((need) => [need, { ...DEFAULT_SCENE.host[need], value: isAble }])),
    },
  };
}

function comes(tool: Tool, scene: Scene): boolean {
  return !findOff(scene)(tool);
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ name }) => name).sort();
}
