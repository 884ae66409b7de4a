import { expect, test } from "vitest";
import { makeFolder } from "../../../test/builtin-host.ts";
import type { ExtensionSpec } from "./extension-spec.ts";
import { findExtensions } from "./find-extensions.ts";

const jira: ExtensionSpec = { name: "jira", argv: ["jira"], cwd: null, env: {}, origin: { kind: "default" } };
const FILES = {
  ".toolcrib/extensions/b.mjs": "",
  ".toolcrib/extensions/README.md": "",
  ".toolcrib/extensions/.hidden.js": "",
  ".toolcrib/extensions/a/extension.json": '{"command":"python3","args":["main.py"],"env":{"A":"1"}}',
  ".toolcrib/extensions/z/extension.json": '{"name":"jira","command":"x"}',
};

test("scripts and folders of a trusted workspace follow the configured ones, which keep their names", async () => {
  const workspace = makeFolder(FILES);
  const { extensions, notices } = await findExtensions({ workspace, configured: [jira], trusted: true });
  expect(extensions).toEqual([
    jira,
    {
      name: "a",
      argv: ["python3", "main.py"],
      cwd: `${workspace}/.toolcrib/extensions/a`,
      env: { A: "1" },
      origin: { kind: "file", file: ".toolcrib/extensions/a/extension.json", line: null },
    },
    {
      name: "b",
      argv: [process.execPath, `${workspace}/.toolcrib/extensions/b.mjs`],
      cwd: workspace,
      env: {},
      origin: { kind: "file", file: ".toolcrib/extensions/b.mjs", line: null },
    },
  ]);
  expect(notices).toMatchObject([{ code: "extension.name-taken", names: ["jira"] }]);
});

test("in a workspace that is not trusted nothing is found, and a notice says what to do", async () => {
  const { extensions, notices } = await findExtensions({
    workspace: makeFolder(FILES),
    configured: [jira],
    trusted: false,
  });
  expect(extensions).toEqual([jira]);
  expect(notices).toMatchObject([{ code: "config.untrusted", names: ["a", "b.mjs", "z"] }]);
  expect(notices[0]?.text).toContain("toolcrib trust");
});

test.each([
  ["no manifest", {}, /there is no such file/],
  ["no JSON", { "extension.json": "{" }, /is not JSON/],
  ["a list", { "extension.json": "[]" }, /must be an object/],
  ["no command", { "extension.json": "{}" }, /`command` must name a program/],
  ["odd arguments", { "extension.json": '{"command":"a","args":[1]}' }, /`args` must be a list of texts/],
  ["an odd environment", { "extension.json": '{"command":"a","env":{"A":1}}' }, /`env` must be a map of texts/],
  ["an odd name", { "extension.json": '{"command":"a","name":""}' }, /`name` must be a text/],
])("a folder with %s costs itself and a notice with its file", async (_, files: Record<string, string>, expected) => {
  const inside = Object.entries({ ...files, "x.txt": "" });
  const workspace = makeFolder({
    ".toolcrib/extensions/good.js": "",
    ...Object.fromEntries(inside.map(([name, text]) => [`.toolcrib/extensions/bad/${name}`, text])),
  });
  const { extensions, notices } = await findExtensions({ workspace, configured: [], trusted: true });
  expect(extensions.map(({ name }) => name)).toEqual(["good"]);
  expect(notices).toMatchObject([
    { code: "extension.invalid", names: ["bad"], origin: { file: ".toolcrib/extensions/bad/extension.json" } },
  ]);
  expect(notices[0]?.text).toMatch(expected);
});

test("without a workspace or a folder only the configured ones are there", async () => {
  const expected = { extensions: [jira], notices: [] };
  expect(await findExtensions({ workspace: null, configured: [jira], trusted: true })).toEqual(expected);
  expect(await findExtensions({ workspace: makeFolder(), configured: [jira], trusted: false })).toEqual(expected);
});
