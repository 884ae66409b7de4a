import { expect, test } from "vitest";
import { parseDocument } from "./parse-document.ts";

test.each([
  [
    ".mcp.json",
    '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n',
    '.mcp.json:5:1: not valid JSON: expected "," or the end of the list or object, found the end of the text; nothing closes the "{" of line 1',
  ],
  [
    ".mcp.json",
    '\ufeff{ // mine\n  "a": 1\n  "b": 2\n}\n',
    '.mcp.json:3:3: not valid JSON: expected "," or the end of the list or object, found "\\"b\\": 2"',
  ],
  ["settings.jsonc", '{"a": *}', 'settings.jsonc:1:7: not valid JSON: expected a value, found "*}"'],
])("a mistake in %s is reported in JSON's words", async (file, text, message) => {
  await expect(parseDocument(text, file)).rejects.toMatchObject({ code: "config.syntax", message });
});

test("a mistake in YAML stays one in YAML's words", async () => {
  await expect(parseDocument("a: [*]\n", "toolcrib.yaml")).rejects.toMatchObject({
    message: 'toolcrib.yaml:1:5: a bare * means nothing to YAML; write "*" in quotes',
  });
});
