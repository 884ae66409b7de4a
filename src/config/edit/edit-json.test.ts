import { expect, test } from "vitest";
import { readJson, withEntry } from "./edit-json.ts";

const ENTRY = { url: "u" };
const put = (text: string) => withEntry(text, "servers", "new", ENTRY);

test("an entry comes behind the others, and every other byte stays", async () => {
  const text = `{
  // mine, and "quoted"
  "servers": {
    "a": { "args": ["x", "y"] }, // the first
    "b": { "command": "http://z" } /* the // second */
  },
  "inputs": [ { "id": "key" } ],
}
`;
  const after = await put(text);
  const second = '"b": { "command": "http://z" } /* the // second */';
  const added = `${second.replace(" /*", ", /*")}\n    "new": {\n      "url": "u"\n    }`;
  expect(after).toBe(text.replace(second, added));
  expect(readJson(after ?? "")).toMatchObject({ servers: { b: { command: "http://z" }, new: ENTRY } });
});

test.each([
  ["nothing but brackets", "{}"],
  ["an empty map", '{ "servers": {} }'],
  ["an empty map with a comment", '{\n\t"servers": {\n\t\t// none yet\n\t}\n}\n'],
  ["an empty map with a comment on its line", '{ "servers": { /* none */ } }'],
  ["everything on one line", '{"servers":{"a":{"b":1}},"more":[1]}'],
  ["a last comma", '{\n  "servers": {\n    "a": {},\n  },\n}\n'],
  ["a last comma behind a comment", '{ "servers": { "a": {} /* , */ , } }'],
  ["no such key", '{\n    "inputs": []\n}\n'],
  ["no such key, and a comment at the end", '{\n    "inputs": [] // none\n}\n'],
  ["tabs", '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}'],
  ["other line ends", '{\r\n  "servers": {\r\n    "a": {}\r\n  }\r\n}\r\n'],
  ["one of the same name", '{\n  "servers": {\n    "new": { "old": true }, // mine\n    "z": {}\n  }\n}\n'],
  ["a key like one of every object", '{ "servers": { "__proto__": {}, "constructor": {} } }'],
])("works with %s, and what was there stays there", async (_, text) => {
  const before = readJson(text);
  const after = (await put(text)) ?? "";
  expect(readJson(after)).toEqual({ ...before, servers: { ...(before?.servers as object | undefined), new: ENTRY } });
  for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment);
  expect(await put(after)).toBe(after);
  if (text.includes("\r")) expect(after).not.toMatch(/[^\r]\n/);
});

test.each([
  ["no JSON", "{ nothing"],
  ["a list", "[]"],
  ["no map under the key", '{ "servers": [] }'],
  ["nothing under the key", '{ "servers": null }'],
  ["a key that is there twice", '{ "servers": { "a": 1, "a": 2 } }'],
])("leaves %s alone", async (_, text) => {
  expect(await put(text)).toBeNull();
});
