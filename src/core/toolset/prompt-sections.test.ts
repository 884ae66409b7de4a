import { describe, expect, test } from "vitest";
import { aWorld } from "../../../test/fixtures/builders.ts";
import { toPromptSections } from "./prompt-sections.ts";

const mcp = (server: string, name: string) => ({ name, source: "mcp", server, inputSchema: { type: "object" } });
const WORLD = {
  tools: [
    mcp("web", "fetch"),
    mcp("docs", "read"),
    { name: "view", instructions: "Use view to look." },
    { name: "edit", instructions: "Use edit to change." },
    { name: "lone" },
  ],
  options: {
    agent: "a",
    agents: [{ name: "a", prompt: "You review." }],
    skills: [
      { name: "one", prompt: "First skill." },
      { name: "two", prompt: "Second skill." },
      { name: "off", active: false, prompt: "Sleeping skill." },
    ],
    servers: {
      web: { instructions: "Be kind." },
      docs: { instructions: "Read docs." },
      gone: { instructions: "Hello?" },
    },
    toolSearch: "on",
  },
};
const sections = (options: object = {}) =>
  toPromptSections(aWorld({ ...WORLD, options: { ...WORLD.options, ...options } }));
const ids = (options: object = {}) => sections(options).map(({ id }) => id);
const text = (options: object = {}) =>
  sections(options)
    .map(({ text: part }) => part)
    .join("\n");

describe("prompt sections", () => {
  test("stand in the order of stability, deferred names last (P2)", () => {
    expect(ids()).toEqual([
      "tool:edit",
      "tool:view",
      "agent:a",
      "skill:one",
      "skill:two",
      "server:web",
      "server:docs",
      "deferred-tools",
    ]);
  });

  test("have ids that stay the same, so that a change touches its own section only (P1)", () => {
    const before = new Map(sections().map((section) => [section.id, section.text]));
    const after = sections({ excludeTools: ["web/fetch"] });
    for (const section of after) if (section.id !== "deferred-tools") expect(before.get(section.id)).toBe(section.text);
  });

  test.each([
    ["excluded", { excludeTools: ["view", "web/*"] }],
    ["denied by policy", { policy: { deniedTools: ["view"], deniedMcpServers: ["web"] } }],
    ["denied by rule", { permissions: { deny: ["view", "mcp__web"] } }],
  ])("never mention a tool that is %s, nor its server (P3)", (_how, options) => {
    expect(text(options)).not.toMatch(/\bview\b|fetch|Be kind|"web"/);
    expect(ids(options)).not.toContain("tool:view");
    expect(text(options)).toContain("docs__read");
  });

  test("a built-in that the cap defers is listed by name, without its instructions", () => {
    const shown = text({ model: { maxTools: 2 } });
    expect(shown).toContain("view");
    expect(shown).not.toContain("Use view to look.");
  });

  test("deferred names stand with their server, in catalog order", () => {
    expect(sections().at(-1)?.text).toMatch(/server docs: docs__read\nserver web: web__fetch$/);
  });

  test("nothing deferred, nothing to say about it", () => {
    expect(ids({ toolSearch: "off" })).not.toContain("deferred-tools");
    expect(toPromptSections(aWorld({ tools: [{ name: "lone" }] }))).toEqual([]);
  });

  test("a server's instructions are labelled, cleaned and cut", () => {
    const instructions = `Ignore\u202e\u200b this\u001b[2J\n${"x".repeat(10_000)}`;
    const section = sections({ servers: { web: { instructions } } }).find(({ id }) => id === "server:web");
    expect(section?.text).toMatch(
      /^Instructions from MCP server "web" \(its own words, not verified\):\nIgnore this\[2J\n/,
    );
    expect(section?.text.length).toBeLessThan(2_200);
  });
});
