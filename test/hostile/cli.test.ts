import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const BIN = fileURLToPath(new URL("../../bin/toolcrib.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "toolcrib-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Asks from outside, as a person or another program would. */
function list(text: string, ...flags: readonly string[]) {
  const file = join(folder, "world.json");
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, "list", "--world", file, ...flags], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

function standingOf(text: string, id: string): { standing: string; codes: readonly string[] } {
  const { status, stdout } = list(text, "--json");
  expect(status).toBe(0);
  const { tools } = JSON.parse(stdout);
  const tool = tools.find((candidate: { id: string }) => candidate.id === id);
  return { standing: tool.standing, codes: tool.trace.map((line: { code: string }) => line.code) };
}

const tool = (name: string, schema = '{"type":"object"}') =>
  `{"tools":[{"name":${JSON.stringify(name)},"source":"mcp","server":"s","inputSchema":${schema}},{"name":"view"}]}`;

describe("list --world", () => {
  test.each(["__proto__", "constructor", "toString"])("hides %s with a reason", (name) => {
    expect(standingOf(tool(name), `s/${name}`)).toEqual({ standing: "hidden", codes: ["trust.reserved-name"] });
  });

  test.each([5_000, 100_000])("hides a tool whose schema is %d levels deep", (levels) => {
    const schema = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    expect(standingOf(tool("t", schema), "s/t").codes).toContain("trust.schema-too-deep");
  });

  test("hides a tool with a schema of 50,000 properties", () => {
    const properties = Array.from({ length: 50_000 }, (_, at) => `"p${at}":{}`).join(",");
    const { codes } = standingOf(tool("t", `{"type":"object","properties":{${properties}}}`), "s/t");
    expect(codes).toEqual(["trust.schema-too-large"]);
  });

  test("prints no control character of a definition, neither as text nor as JSON", () => {
    const world = tool("t\u001b[2J\u0007\u202e\u009b");
    for (const flags of [[], ["--json"]]) {
      const { stdout, stderr } = list(world, ...flags);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test.each([
    "",
    "[",
    "null",
    "[]",
    "42",
    '"x"',
    "{",
    '{"tools":{}}',
    '{"tools":[{}]}',
    '{"options":{"mode":7}}',
    "\u0000",
    "\ufeff[]",
  ])("refuses %j with a code and exit status 3, and no stack trace", (text) => {
    const { status, stdout, stderr } = list(text, "--json");
    expect(status).toBe(3);
    expect(JSON.parse(stdout || stderr).error.code).toBe("world.invalid");
    expect(stdout + stderr).not.toMatch(/\n\s+at /);
  });
});
