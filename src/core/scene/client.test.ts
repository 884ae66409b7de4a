import { describe, expect, test } from "vitest";
import { type ClientOverride, describeClient, KNOWN_CLIENTS, settingFor, toClient } from "./client.ts";

const ORIGIN = { kind: "file", file: "toolcrib.yaml", line: 4 } as const;
const overrides = (rows: Record<string, Partial<ClientOverride>>) =>
  new Map(
    Object.entries(rows).map(([name, row]) => [
      name,
      { origin: ORIGIN, ownSearch: null, maxTools: null, listChanged: null, ...row },
    ]),
  );

describe("what is known of a client", () => {
  test.each([
    ["claude-code", { row: "claude-code", ownSearch: true, maxTools: null, listChanged: false }],
    ["claude-code (via mcp-remote 0.1.30)", { row: "claude-code" }],
    ["Visual Studio Code - Insiders", { row: "Visual Studio Code", ownSearch: true, maxTools: 128, listChanged: true }],
    ["Visual-Studio-Code", { row: "Visual-Studio-Code", maxTools: 128 }],
    ["cursor-vscode", { row: "cursor", ownSearch: true, maxTools: null }],
    ["windsurf-client", { row: "windsurf", ownSearch: false, maxTools: 100 }],
    ["Windsurf", { row: "windsurf" }],
    ["codex-mcp-client", { row: "codex", ownSearch: true, listChanged: false }],
    ["gemini-cli-mcp-client-v2", { row: "gemini-cli", ownSearch: false, listChanged: false }],
    ["Zed", { row: "Zed", ownSearch: false, listChanged: true }],
    ["my-own", { row: null, ownSearch: false, maxTools: null, listChanged: true }],
    [null, { row: null, ownSearch: false }],
  ])("%s is known by how its name begins", (name, known) => {
    expect(toClient(name)).toMatchObject({ name, ...known });
  });

  test("every row has a source and a date", () => {
    for (const { source, date } of KNOWN_CLIENTS) {
      expect(source).toMatch(/^[a-z.]+\.\w+\//);
      expect(date).toMatch(/^20\d\d-\d\d$/);
    }
  });

  test("a configuration says something else, trait by trait, and the longest beginning counts", () => {
    const rows = overrides({
      claude: { maxTools: 5 },
      "claude-code": { listChanged: true },
      mine: { ownSearch: true },
    });
    expect(toClient("claude-code", rows)).toMatchObject({ ownSearch: true, maxTools: null, listChanged: true });
    expect(toClient("claude-desktop", rows)).toMatchObject({ row: "claude", ownSearch: false, maxTools: 5 });
    expect(toClient("mine-2", rows)).toMatchObject({ row: "mine", ownSearch: true, origin: ORIGIN });
    expect(toClient("Visual Studio Code", overrides({ visual: { maxTools: 9 } }))).toMatchObject({
      ...{ ownSearch: true, maxTools: 9 },
    });
  });

  test("it can be said which row decided, and where to say something else", () => {
    expect(describeClient(toClient("claude-code"))).toBe(
      '"claude-code" searches by itself, so it gets every tool; it does not ask again when tools change ' +
        '(known client "claude-code": github.com/anthropics/claude-code/issues/79826, 2026-11)',
    );
    expect(describeClient(toClient("x"))).toContain("(not a known client)");
    expect(describeClient(toClient("x", overrides({ x: { maxTools: 7 } })))).toContain("up to 7");
    expect(describeClient(toClient("x", overrides({ x: { maxTools: 7 } })))).toContain("(toolcrib.yaml:4)");
    expect(settingFor(toClient("Visual Studio Code"))).toBe('gateway.knownClients."Visual Studio Code"');
    expect(settingFor(toClient("codex-mcp-client"))).toBe("gateway.knownClients.codex");
  });
});
