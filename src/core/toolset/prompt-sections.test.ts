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
      { name: "off", active: false, prompt: "Sleeping skill.", description: "Sleeps." },
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

const TEXT = "Use {bash} to build. For files use {view, grep, edit, apply_patch}. Say {nothing}. Keep {this: 1}.";
const FILES = {
  tools: [
    { name: "bash", instructions: TEXT },
    { name: "view" },
    { name: "grep" },
    { name: "edit", variant: "edit:replace" },
    { name: "apply_patch", variant: "edit:patch" },
  ],
};
const shellText = (options: object) =>
  toPromptSections(aWorld({ ...FILES, options })).find(({ id }) => id === "tool:bash")?.text;

describe("instructions of built-ins", () => {
  test.each([
    ["a model that replaces text", {}, "view, grep and edit"],
    ["a model that writes patches", { model: { variants: ["edit:patch"] } }, "view, grep and apply_patch"],
    ["a run without most of them", { excludeTools: ["grep", "edit"] }, "view"],
  ])("name the tools that %s has (P3)", (_, options, names) => {
    expect(shellText({ model: { variants: ["edit:replace"] }, ...options })).toBe(
      `Use bash to build. For files use ${names}. Keep {this: 1}.`,
    );
  });

  test("leave a sentence out of which nothing can be reached", () => {
    expect(shellText({ includeTools: ["bash"] })).toBe("Use bash to build. Keep {this: 1}.");
  });
});

test("instructions of a host's own tool are a part of the prompt, those of other people's tools are not", () => {
  const tool = (name: string, owner: object) => ({ name, source: "external", owner, instructions: `Use ${name}.` });
  const tools = [
    tool("mine", { kind: "host", name: "host" }),
    tool("theirs", { kind: "connection", name: "c" }),
    tool("rude", { kind: "extension", name: "e" }),
    { ...mcp("web", "fetch"), instructions: "Use fetch." },
    { name: "loaded", source: "module", instructions: "Use {loaded}." },
  ];
  const shown = (options: object) =>
    toPromptSections(aWorld({ tools, options })).map(({ id, text: part }) => [id, part]);
  expect(shown({ toolSearch: "off" })).toEqual([
    ["tool:loaded", "Use {loaded}."],
    ["tool:mine", "Use mine."],
  ]);
  const { names } = { names: ["mine"] };
  const signatures = { mine: aWorld({ tools }).catalog.entries.find(({ id }) => id === "mine")?.signature };
  // What a search loads inside a turn comes behind everything that was there before.
  expect(shown({ toolSearch: "on", promoted: { names, signatures } }).map(([id]) => id)).toEqual([
    "deferred-tools",
    "tool:mine",
  ]);
});

test("a model's own part comes first, and only for that model", () => {
  const model = { id: "m", instructions: "Answer briefly." };
  expect(sections({ model })[0]).toEqual({ id: "model:m", text: "Answer briefly." });
  expect(ids({ model: { id: "m" } })).not.toContain("model:m");
});

describe("skills that wait", () => {
  const skills = [
    { name: "on", active: true, prompt: "Active.", description: "Not listed." },
    { name: "pdf", active: false, prompt: "Long.", description: `Reads\n\u200bPDF files. ${"x".repeat(500)}` },
    { name: "bare", active: false },
  ];
  const listed = (options: object = {}, tools: readonly object[] = [{ name: "skill" }]) =>
    toPromptSections(aWorld({ tools, options: { skills, skillToolPolicy: "off", ...options } })).find(
      ({ id }) => id === "waiting-skills",
    )?.text;

  test("are named with what they are for, cut and cleaned", () => {
    const [head, pdf, bare, ...rest] = listed()?.split("\n") ?? [];
    expect(head).toBe("These skills can be loaded: call skill with a name when a task fits.");
    expect(pdf).toMatch(/^- pdf: Reads PDF files\. x+…$/);
    expect(pdf?.length).toBeLessThan(220);
    expect([bare, rest]).toEqual(["- bare", []]);
  });

  test("are named only where a model can load one", () => {
    expect(listed({ excludeTools: ["skill"], allowNoTools: true })).toBeUndefined();
    expect(listed({}, [mcp("s", "skill")])).toBeUndefined();
    expect(listed({ skills: skills.slice(0, 1) })).toBeUndefined();
    expect(listed({ model: { maxTools: 1 } }, [{ name: "skill" }, { name: "a" }, { name: "b" }])).toContain("pdf");
  });

  test("take a bounded part of the prompt", () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ ...skills[1], name: `s${at}` }));
    const text = listed({ skills: many }) ?? "";
    expect(text.length).toBeLessThan(6_200);
    expect(text).toMatch(/\nand \d+ more$/);
  });
});

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
