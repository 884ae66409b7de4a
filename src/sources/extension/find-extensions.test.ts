import { expect, test } from "vitest";
import { makeFolder } from "../../../test/support/builtin-host.ts";
import type { ExtensionSpec } from "./extension-spec.ts";
import { findExtensions } from "./find-extensions.ts";

const jira: ExtensionSpec = { name: "jira", argv: ["jira"], cwd: null, env: {}, origin: { kind: "default" } };
const trustIn = (...names: readonly string[]) => new Map(names.map((name) => [name, `hash of ${name}`]));
const FILES = {
  ".toolcrib/extensions/b.mjs": "",
  ".toolcrib/extensions/README.md": "",
  ".toolcrib/extensions/.hidden.js": "",
  ".toolcrib/extensions/a/extension.json": '{"command":"python3","args":["main.py"],"env":{"A":"1"}}',
  ".toolcrib/extensions/z/extension.json": '{"name":"jira","command":"x"}',
};

test("scripts and folders of a trusted workspace follow the configured ones, which keep their names", async () => {
  const workspace = makeFolder(FILES);
  const { extensions, notices } = await findExtensions({
    workspace,
    configured: [jira],
    trusted: trustIn("a", "b.mjs", "z"),
  });
  expect(extensions).toEqual([
    jira,
    {
      name: "a",
      argv: ["python3", "main.py"],
      cwd: `${workspace}/.toolcrib/extensions/a`,
      env: { A: "1" },
      origin: { kind: "file", file: ".toolcrib/extensions/a/extension.json", line: null },
      file: { name: "a", content: "hash of a" },
    },
    {
      name: "b",
      argv: [process.execPath, `${workspace}/.toolcrib/extensions/b.mjs`],
      cwd: workspace,
      env: {},
      origin: { kind: "file", file: ".toolcrib/extensions/b.mjs", line: null },
      file: { name: "b.mjs", content: "hash of b.mjs" },
    },
  ]);
  expect(notices).toMatchObject([{ code: "extension.name-taken", names: ["jira"] }]);
});

test("only what is trusted is found, each by itself", async () => {
  const workspace = makeFolder(FILES);
  const one = await findExtensions({ workspace, configured: [jira], trusted: trustIn("b.mjs") });
  expect(one.extensions.map(({ name }) => name)).toEqual(["jira", "b"]);
  expect(one.notices).toEqual([]);
  expect((await findExtensions({ workspace, configured: [jira], trusted: trustIn() })).extensions).toEqual([jira]);
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
  const { extensions, notices } = await findExtensions({
    workspace,
    configured: [],
    trusted: trustIn("good.js", "bad"),
  });
  expect(extensions.map(({ name }) => name)).toEqual(["good"]);
  expect(notices).toMatchObject([
    { code: "extension.invalid", names: ["bad"], origin: { file: ".toolcrib/extensions/bad/extension.json" } },
  ]);
  expect(notices[0]?.text).toMatch(expected);
});

test("without a workspace or a folder only the configured ones are there", async () => {
  const expected = { extensions: [jira], notices: [] };
  expect(await findExtensions({ workspace: null, configured: [jira], trusted: trustIn("a") })).toEqual(expected);
  expect(await findExtensions({ workspace: makeFolder(), configured: [jira], trusted: trustIn("a") })).toEqual(
    expected,
  );
});
