import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import type { ToolcribError } from "../../core/codes/toolcrib-error.ts";

async function errorOf(text: string): Promise<ToolcribError> {
  return createWorkspace({ "toolcrib.yaml": text })
    .load()
    .then(
      () => expect.fail("there is no error"),
      (error: ToolcribError) => error,
    );
}

describe("a wrong file", () => {
  test.each([
    ["\nexclude_tools: [a]", '2: unknown key "exclude_tools"; did you mean "excludeTools"?'],
    ["mode: plan", '1: unknown key "mode"; did you mean "permissions.mode"?'],
    ["token: x", '1: unknown key "token"; did you mean "gateway.token"?'],
    ["permissions:\n  alow: [a]", '2: unknown key "alow" in permissions; did you mean "allow"?'],
    ["zzzzzzzzzzzz: 1", '1: unknown key "zzzzzzzzzzzz"; expected one of $schema, tools, '],
    ["constructor: 1", '1: unknown key "constructor"; expected'],
    ["__proto__: { polluted: 1 }", '1: unknown key "__proto__"; expected'],
    [
      "permissions: { mode: bypas }",
      'permissions.mode must be one of default, plan, accept-edits, dont-ask, bypass, autopilot; found "bypas"; did you mean "bypass"?',
    ],
    ["excludeTools: web", '1: excludeTools must be a list; found "web"; write ["web"]'],
    ["excludeTools:\n  - web\n  - 3", "3: excludeTools[1] must be text; found 3; put it in quotes"],
    ["excludeTools: [null]", "1: excludeTools[0] must be text; found nothing"],
    ["excludeTools: ['']", "1: excludeTools[0] must not be empty"],
    ["includeTools: all", '1: includeTools must be a list or null; found "all"'],
    ["features: { x: yes }", '1: features.x must be true or false; found "yes"'],
    ["gateway: { clients: [null] }", "1: gateway.clients[0] must be a map; found nothing"],
    ["gateway: { port: 99999 }", "1: gateway.port must be a whole number from 0 to 65535; found 99999"],
    ["gateway: { port: 1.5 }", "1: gateway.port must be a whole number from 0 to 65535; found 1.5"],
    [
      "mcpServers: { a: { command: x, timeout: fast } }",
      '1: mcpServers.a.timeout must be a whole number of at least 1; found "fast"',
    ],
    ["mcpServers: { a: {} }", "1: mcpServers.a must have exactly one of command, url; found none"],
    [
      "mcpServers: { a: { command: x, url: y } }",
      "1: mcpServers.a must have exactly one of command, url; found command and url",
    ],
    [
      "mcpServers: { a: { type: http, command: x } }",
      "1: mcpServers.a is of type http, which takes url; found command",
    ],
    ["mcpServers: { a: { type: stdio, url: x } }", "1: mcpServers.a is of type stdio, which takes command; found url"],
    ["mcpServers: { a: { url: 3 } }", "1: mcpServers.a.url must be text; found a number"],
    ["mcpServers: { a: null }", "1: mcpServers.a must be a map; found nothing"],
    ["tools: [{ name: a }]", '1: the key "use" is missing in tools[0]'],
    ["agents: [{ name: a }, { name: a }]", '1: agents has "a" twice'],
    ["toolSearch: maybe", '1: toolSearch must be one of auto, on, off; found "maybe"'],
    ["toolSearch: 3", "1: toolSearch must be one of auto, on, off, or a map; found 3"],
    ["toolSearch: { percent: 101 }", "1: toolSearch.percent must be a whole number from 0 to 100; found 101"],
    ["model: { provider: x }", '1: the key "id" is missing in model'],
    ["wireNames: snake", "1: wireNames must be one of server__tool, server-tool, mcp__server__tool; found"],
    [
      "includeTools: [a]\navailableTools: [b]",
      '2: "availableTools" and "includeTools" are the same setting; keep one of them',
    ],
    [
      "excludedTools: [a]\nexcludeTools: [b]",
      '1: "excludedTools" and "excludeTools" are the same setting; keep one of them',
    ],
    ["policy: { deniedTools: [a] }", '1: "policy" belongs in the managed policy file'],
    ["hooks: { preToolUs: [] }", '1: unknown key "preToolUs" in hooks; did you mean "preToolUse"?'],
    ["hooks: { preToolUse: [{ matcher: a }] }", '1: the key "command" is missing in hooks.preToolUse[0]'],
    ["- a", "1: the file must be a map; found a list"],
    ["text", '1: the file must be a map; found "text"'],
  ])("%j", async (text, message) => {
    const error = await errorOf(text);
    expect(error.code).toBe("config.invalid");
    expect(error.message).toContain(message);
    expect(error.message).toMatch(/^toolcrib\.yaml:\d+: /);
  });

  test("all mistakes are told at once, in the order of the file", async () => {
    const error = await errorOf("exclude: [a]\nagent: 3\npermissions:\n  deny: ['x(']\nmodel: { nope: 1 }\n");
    expect(error.message.split("\n")).toEqual([
      'toolcrib.yaml:1: unknown key "exclude"; did you mean "excludeTools"?',
      "toolcrib.yaml:2: agent must be text or null; found 3; put it in quotes",
      expect.stringMatching(/^toolcrib\.yaml:4: the rule "x\(" cannot be read/),
      expect.stringMatching(/^toolcrib\.yaml:5: unknown key "nope" in model/),
      'toolcrib.yaml:5: the key "id" is missing in model',
    ]);
    expect(error).toMatchObject({ code: "config.invalid", origin: { file: "toolcrib.yaml", line: 1 } });
  });

  test("mistakes of several files come together", async () => {
    const workspace = createWorkspace({ "toolcrib.yaml": "a: 1", "toolcrib.local.yaml": "b: 1", user: "c: 1" });
    const error: ToolcribError = await workspace.load().catch((thrown) => thrown);
    expect(error.message.split("\n")).toHaveLength(3);
  });

  test("a rule that cannot be read is a rule error with its line", async () => {
    const error = await errorOf("permissions:\n  deny:\n    - Bash(rm\n");
    expect(error).toMatchObject({ code: "rule.invalid", origin: { line: 3 } });
    expect(error.message).toContain("toolcrib.yaml:3");
  });

  test("a secret is not repeated in the message", async () => {
    const error = await errorOf("gateway: { token: 12345678 }");
    expect(error.message).toBe("toolcrib.yaml:1: gateway.token must be text; found a number; put it in quotes");
  });
});

describe("what is not valid YAML", () => {
  test.each([
    ["a map in a compact map", "a: b: c", ":1:4: "],
    ["wrong indentation", "excludeTools:\n  - a\n - b", ":3:1: "],
    ["two documents", "a: 1\n---\nb: 1", ":2: the file holds more than one document"],
    ["a key twice", "agent: x\nagent: y", ':2: the key "agent" appears twice'],
    ["a key twice in JSON", '{\n  "agent": null,\n  "agent": null\n}', ':3: the key "agent" appears twice'],
    ["an alias without anchor", "a: *nowhere", ":1: the alias *nowhere has no anchor before it"],
    ["an alias of itself", "a: &a [*a]", ":1: the alias *a is inside its own anchor"],
    ["a tag", "agent: !!js/function x", ":1:8: "],
    ["a star without quotes", "includeTools: [view, *]", ':1:22: a bare * means nothing to YAML; write "*" in quotes'],
    ["a name that begins with a star", "excludeTools: [*_file]", 'a name needs quotes: "*_file"'],
    ["a list as key", "? [a]\n: b", ":1: a key must be plain text"],
    ["deep flow", `a: ${"[".repeat(100_000)}`, ":1: nested more than 100 levels deep"],
    ["deep block", "- ".repeat(50_000), ":1: nested more than 100 levels deep"],
    ["a cut file", '{"a": 1', ":1:8: "],
  ])("%s", async (_, text, message) => {
    const error = await errorOf(text);
    expect(error.code).toBe("config.syntax");
    expect(error.message).toMatch(/^toolcrib\.yaml:/);
    expect(error.message).toContain(message);
    expect(error.origin).toMatchObject({ kind: "file", file: "toolcrib.yaml" });
  });

  test("aliases work, and a bomb of them does not", async () => {
    const config = await createWorkspace({ "toolcrib.yaml": "excludeTools: &x [a, b]\ndisabledSkills: *x" }).load();
    expect(config.disabledSkills.value.map(({ value }) => value)).toEqual(["a", "b"]);
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let i = 1; i < 9; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
      );
    const error = await errorOf(lines.join("\n"));
    expect(error).toMatchObject({
      code: "config.syntax",
      message: expect.stringContaining("aliases stand for more than"),
    });
  });

  test("50,000 keys take time in proportion", async () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `  k${index}: true`).join("\n");
    const config = await createWorkspace({ user: `features:\n${keys}\n` }).load();
    expect(config.features.size).toBe(50_000);
  });
});

test("keys with nothing behind them are as if not written", async () => {
  const config = await createWorkspace({
    "toolcrib.yaml": "mcpServers:\nexcludeTools:\npermissions:\nhooks:\nagent:\n",
  }).load();
  expect(config.servers.size).toBe(0);
  expect(config.excludeTools.value).toEqual([]);
});

test("an empty file and a file of comments say nothing", async () => {
  expect((await createWorkspace({ "toolcrib.yaml": "" }).load()).notices).toEqual([]);
  expect((await createWorkspace({ "toolcrib.yaml": "# nothing\n" }).load()).notices).toEqual([]);
});
