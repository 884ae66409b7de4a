import { expect, test } from "vitest";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import { createResolver } from "../../src/core/catalog/resolver.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../../src/sources/builtin/definitions.ts";

const resolver = createResolver({ catalog: buildCatalog(BUILTIN_TOOLS), sets: BUILTIN_SETS });

function meant(name: string): readonly string[] {
  const resolution = resolver.resolve(name);
  return resolution.kind === "found" ? resolution.meaning.entries.map(({ tool }) => tool.name).sort() : [];
}

const SHELL = ["bash", "list_bash", "monitor", "read_bash", "stop_bash", "write_bash"];

test.each([
  ["runCommands", SHELL],
  ["runCommands/runInTerminal", ["bash"]],
  ["execute/runInTerminal", ["bash"]],
  ["execute/getTerminalOutput", ["read_bash"]],
  ["execute/awaitTerminal", ["monitor"]],
  ["execute/killTerminal", ["stop_bash"]],
  ["runTests", ["validate"]],
  ["execute/runTests", ["validate"]],
  ["codebase", ["glob", "grep"]],
  ["search/codebase", ["glob", "grep"]],
  ["search/textSearch", ["grep"]],
  ["search/fileSearch", ["glob"]],
  ["search/listDirectory", ["view"]],
  ["search/readFile", ["view"]],
  ["read/readFile", ["view"]],
  ["read/viewImage", ["view_image"]],
  ["edit/editFiles", ["edit"]],
  ["edit/createFile", ["create"]],
  ["edit/createDirectory", ["create"]],
  ["fetch", ["web_fetch"]],
  ["web/fetch", ["web_fetch"]],
  ["runSubagent", ["task"]],
  ["agent/runSubagent", ["task"]],
  ["custom-agent", ["task"]],
  ["vscode/askQuestions", ["ask_user"]],
  ["todo", ["todo"]],
  ["todos", ["todo"]],
])("VS Code's %s means %j", (name, tools) => {
  expect(meant(name)).toEqual(tools);
});

test("agent, which VS Code and GitHub have for subagents, brings task", () => {
  expect(meant("agent")).toContain("task");
});

test.each(["usages", "problems", "vscodeAPI", "openSimpleBrowser", "runTasks", "githubRepo"])(
  "%s is a tool of the editor itself, so it is unknown here and is reported",
  (name) => {
    expect(resolver.resolve(name).kind).toBe("unknown");
  },
);
