import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/builtin-host.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import { formatOrigin, sourced } from "../../core/codes/origin.ts";
import { splitNames } from "./allowed-tools.ts";
import { type LoadSkillsOptions, loadSkills } from "./load-skills.ts";

const json = (value: unknown) => JSON.stringify(value);
const lint = json({ name: "lint", description: "Lints.", run: { command: ["lint"] } });

test("seed 002, skill-directory-structure and skill-manifest", async () => {
  const base = makeFolder({
    "skills/code-review/skill.json": json({
      name: "code-review",
      displayName: "Code Review Assistant",
      description: "Specialized code review capabilities",
      version: "1.0.0",
      author: "Your Team",
      prompts: ["prompts/system.md", "prompts/examples.md"],
      tools: ["tools/lint.json"],
    }),
    "skills/code-review/prompts/system.md": "Review with care.\n",
    "skills/code-review/prompts/examples.md": "Like this.\n",
    "skills/code-review/tools/lint.json": lint,
    "skills/code-review/tools/not-listed.json": "not even JSON",
  });
  const { skills, notices } = await load(base, ["./skills/code-review"]);
  expect(notices).toEqual([]);
  expect(skills).toMatchObject([
    {
      name: "code-review",
      displayName: "Code Review Assistant",
      description: "Specialized code review capabilities",
      version: "1.0.0",
      author: "Your Team",
      folder: join(base, "skills/code-review"),
      activation: "on-load",
      allowedTools: null,
      prompt: "Review with care.\n\nLike this.",
      tools: [{ tool: { name: "lint", server: "code-review" }, run: { kind: "command", argv: ["lint"] } }],
    },
  ]);
});

describe("directories", () => {
  test("may be a skill or hold skills, start with ~, and lead through links", async () => {
    const home = makeFolder({ ".copilot/skills/own/SKILL.md": "---\nname: own\n---\n" });
    const base = makeFolder({
      "one/SKILL.md": "---\nname: one\n---\n",
      "many/b/SKILL.md": "---\nname: b\n---\n",
      "many/a/skill.json": "{}",
      "many/.hidden/skill.json": "{}",
      "many/no-skill/README.md": "",
      "many/file.md": "",
    });
    symlinkSync(join(home, ".copilot/skills/own"), join(base, "many/linked"));
    const { skills, notices } = await load(base, ["./one", "many", "~/.copilot/skills", join(base, "one")], { home });
    expect(skills.map(({ name, origin }) => `${name} ${formatOrigin(origin)}`)).toEqual([
      "one one/SKILL.md:2",
      "a many/a/skill.json:1",
      "b many/b/SKILL.md:2",
      "own many/linked/SKILL.md:2",
    ]);
    expect(notices).toMatchObject([]);
  });

  test("that are not there, or hold no skill, are told and cost nothing", async () => {
    const { skills, notices } = await load(makeFolder({ "empty/x.txt": "" }), ["gone", "empty"]);
    expect(skills).toEqual([]);
    expect(notices.map(({ level, code, names }) => [level, code, names])).toEqual([
      ["info", "skill.not-found", ["gone"]],
      ["info", "skill.not-found", ["empty"]],
    ]);
  });

  test("later ones override tools of the same name (N7)", async () => {
    const named = (description: string) => json({ name: "lint", description, run: { command: ["x"] } });
    const base = makeFolder({
      "z-first/skill.json": json({ name: "first" }),
      "z-first/tools/lint.json": named("of the first"),
      "a-second/skill.json": json({ name: "second" }),
      "a-second/tools/lint.json": named("of the second"),
    });
    const { skills } = await load(base, ["z-first", "a-second"]);
    const { entries } = buildCatalog(
      skills.flatMap(({ tools }) => tools.map(({ tool }) => tool)),
      {},
    );
    expect(entries.find(({ nameOwner }) => nameOwner === null)?.tool.description).toBe("of the second");
  });

  test("a later skill of the same name takes the place of the earlier one", async () => {
    const base = makeFolder({
      "a/skill.json": json({ name: "same", description: "old" }),
      "a/tools/lint.json": lint,
      "b/skill.json": json({ name: "same", description: "new" }),
    });
    const { skills, notices } = await load(base, ["a", "b"]);
    expect(skills).toMatchObject([{ name: "same", description: "new", tools: [] }]);
    expect(notices).toMatchObject([{ level: "info", code: "skill.overridden", names: ["same"] }]);
    expect(notices[0]?.text).toContain("a/skill.json:1");
  });

  test("disabled skills are not loaded, and a name that nobody has is told", async () => {
    const base = makeFolder({ "a/skill.json": json({ name: "noisy-skill" }), "b/skill.json": json({ name: "fine" }) });
    const disabled = [sourced("noisy-skill"), sourced("fin")];
    const { skills, notices } = await load(base, ["."], { disabled });
    expect(skills.map(({ name }) => name)).toEqual(["fine"]);
    expect(notices).toMatchObject([{ code: "skill.unknown", names: ["fin"] }]);
    expect(notices[0]?.text).toContain("did you mean fine?");
  });
});

describe("SKILL.md", () => {
  test("has its text as prompt, tools beside it, and names of allowed tools with their lines", async () => {
    const base = makeFolder({
      "s/SKILL.md":
        "---\nname: s\ndescription: >\n  Folded\n  text.\nallowed-tools:\n  - Read\n  - Bash(git add:*, x)\n---\n# How\n\nSo.\n",
      "s/tools/lint.json": lint,
    });
    const { skills } = await load(base, ["."]);
    expect(skills).toMatchObject([
      { name: "s", description: "Folded\ntext.".replace("\n", " "), prompt: "# How\n\nSo.", activation: "on-invoke" },
    ]);
    const names = skills[0]?.allowedTools;
    expect(names?.value.map(({ value, origin }) => `${value} ${formatOrigin(origin)}`)).toEqual([
      "Read s/SKILL.md:7",
      "Bash(git add:*, x) s/SKILL.md:8",
    ]);
    expect(names === undefined || names === null ? "" : formatOrigin(names.origin)).toBe("s/SKILL.md:6");
    expect(skills[0]?.tools).toHaveLength(1);
  });

  test("without a name is called as its folder, also with Windows line ends and a byte order mark", async () => {
    const base = makeFolder({ "folder-name/SKILL.md": "\uFEFF---\r\ndescription: d\r\n---\r\nBody.\r\n" });
    const { skills } = await load(base, ["."]);
    expect(skills).toMatchObject([{ name: "folder-name", description: "d", prompt: "Body." }]);
  });

  test("beside skill.json leads, and the manifest adds", async () => {
    const base = makeFolder({
      "s/SKILL.md": "---\nname: lead\n---\nBody.",
      "s/skill.json": json({ name: "other", version: "2", prompts: ["p.md"] }),
      "s/p.md": "More.",
    });
    const { skills } = await load(base, ["."]);
    expect(skills).toMatchObject([{ name: "lead", version: "2", prompt: "Body.\n\nMore.", activation: "on-invoke" }]);
  });

  test.each([
    ["Read, Grep", ["Read", "Grep"]],
    ["Bash(git:*) Read", ["Bash(git:*)", "Read"]],
    ["Bash(git add:*, git commit:*),Read  Grep", ["Bash(git add:*, git commit:*)", "Read", "Grep"]],
    ["", []],
    [" , ", []],
    ["a) b", ["a)", "b"]],
  ])("the allowed tools %j are %j", (text, expected) => {
    expect(splitNames(text)).toEqual(expected);
  });

  test.each([
    ["allowed-tools:", null],
    ["allowed-tools: []", []],
    ["allowedTools: [a]", ["a"]],
    ["other: 1", null],
  ])("%j declares %j", async (line, expected) => {
    const { skills } = await load(makeFolder({ "s/SKILL.md": `---\nname: s\n${line}\n---\n` }), ["."]);
    const list = skills[0]?.allowedTools ?? null;
    expect(list === null ? null : list.value.map(({ value }) => value)).toEqual(expected);
  });
});

test("a description with colons, as products write it, is a description", async () => {
  const front = "name: s\ndescription: Use when: the user says: go\nargument-hint: [file] [line]\nallowed-tools: Read";
  const { skills, notices } = await load(makeFolder({ "s/SKILL.md": `\ufeff---\n${front}\n---\nBody` }), ["."]);
  expect(notices).toEqual([]);
  expect(skills).toMatchObject([{ description: "Use when: the user says: go", prompt: "Body" }]);
  expect(skills[0]?.allowedTools?.value.map(({ value, origin }) => `${value} ${formatOrigin(origin)}`)).toEqual([
    expect.stringMatching(/^Read .*SKILL\.md:5$/),
  ]);
});

describe("a broken skill costs itself, with its file and line", () => {
  test.each([
    ["no front matter", { "SKILL.md": "# Title\n" }, "bad/SKILL.md:1", /no front matter/],
    ["bad YAML", { "SKILL.md": "---\nname: s\nx: [1\n---\n" }, "bad/SKILL.md:4", /./],
    ["a list for front matter", { "SKILL.md": "---\n- a\n---\n" }, "bad/SKILL.md:2", /map of keys/],
    [
      "a name that is no text",
      { "SKILL.md": "---\na: 1\nname: [x]\n---\n" },
      "bad/SKILL.md:3",
      /`name` must be a text/,
    ],
    [
      "an odd allowed tool",
      { "SKILL.md": "---\nname: s\nallowed-tools:\n  - a\n  - 5\n---\n" },
      "bad/SKILL.md:5",
      /entry 2/,
    ],
    ["odd allowed tools", { "SKILL.md": "---\nname: s\nallowed-tools: 5\n---\n" }, "bad/SKILL.md:3", /list of names/],
    ["bad JSON", { "skill.json": '{\n  "name": "s",\n}' }, /^bad\/skill\.json:[23]$/, /is not JSON/],
    ["a list for a manifest", { "skill.json": "[]" }, "bad/skill.json:1", /map of keys/],
    ["tools that are no list", { "skill.json": '{\n"name":"s",\n"tools": 5}' }, "bad/skill.json:3", /list of files/],
    ["a billion laughs", { "SKILL.md": `---\n${laughs()}\n---\n` }, /^bad\/SKILL\.md/, /./],
    ["depth without end", { "SKILL.md": `---\na: ${"[".repeat(50_000)}\n---\n` }, /^bad\/SKILL\.md/, /./],
    ["a folder for a file", { "SKILL.md/x": "" }, "bad/SKILL.md", /no ordinary file/],
  ])("%s", async (_, files: Record<string, string>, origin, text) => {
    const inside = Object.entries(files).map(([name, content]) => [`bad/${name}`, content] as const);
    const base = makeFolder({ ...Object.fromEntries(inside), "good/skill.json": json({ name: "good" }) });
    const { skills, notices } = await load(base, ["."]);
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    expect(notices.map(({ code, names }) => [code, names])).toEqual([["skill.invalid", ["bad"]]]);
    expect(notices[0]?.text).toMatch(text);
    expect(notices.map((notice) => formatOrigin(notice.origin))).toEqual([
      typeof origin === "string" ? origin : expect.stringMatching(origin),
    ]);
  });
});

/** Name, what `skill.json` says, files beside it, code, text. */
type BrokenPart = readonly [
  string,
  { readonly prompts?: readonly unknown[]; readonly tools?: readonly string[] },
  Readonly<Record<string, string>>,
  string,
  RegExp,
];
const RUNS: readonly (readonly [object, RegExp])[] = [
  [{ command: ["a"], use: "b:c" }, /exactly one/],
  [{}, /exactly one/],
  [{ command: "rm -rf" }, /must be a list/],
  [{ command: [] }, /must be a list/],
  [{ command: ["a", 5] }, /must be a list/],
  [{ use: "no-colon" }, /"module:export"/],
  [{ use: "../x.js:a" }, /leads out/],
  [{ use: "/x.js:a" }, /leads out/],
  [{ use: "file:///x.js:a" }, /leads out/],
  [{ use: "./link/secret.md:a" }, /leads out/],
  [{ mcp: "no-slash" }, /"server\/tool"/],
  [{ mcp: "/tool" }, /"server\/tool"/],
  [{ mcp: 5 }, /"server\/tool"/],
];

describe("a broken part of a skill costs that part", () => {
  const outside = { prompts: ["../secret.md"] };
  const cases: readonly BrokenPart[] = [
    ["a prompt outside", outside, {}, "skill.invalid-prompt", /"\.\.\/secret\.md" leads out of the skill's folder/],
    ["an absolute prompt", { prompts: ["/etc/passwd"] }, {}, "skill.invalid-prompt", /leads out/],
    ["a home prompt", { prompts: ["~/x"] }, {}, "skill.invalid-prompt", /no path inside/],
    ["a prompt through a link", { prompts: ["link/secret.md"] }, {}, "skill.invalid-prompt", /leads out/],
    ["a missing prompt", { prompts: ["gone.md"] }, {}, "skill.invalid-prompt", /there is no "gone\.md"/],
    ["a prompt that is no path", { prompts: [5] }, {}, "skill.invalid-prompt", /path of a file/],
    ["a tool outside", { tools: ["../t.json"] }, {}, "skill.invalid-tool", /leads out/],
    ["bad JSON", { tools: ["t.json"] }, { "t.json": "{" }, "skill.invalid-tool", /is not JSON/],
    ["no object", { tools: ["t.json"] }, { "t.json": "[]" }, "skill.invalid-tool", /a tool is an object/],
    ["no name", { tools: ["t.json"] }, { "t.json": "{}" }, "skill.invalid-tool", /`name` must be/],
    ["no run", { tools: ["t.json"] }, { "t.json": '{"name":"t"}' }, "skill.invalid-tool", /`run` must be/],
    ...RUNS.map(
      ([run, text]): BrokenPart => [
        `run ${json(run)}`,
        { tools: ["t.json"] },
        { "t.json": json({ name: "t", run }) },
        "skill.invalid-tool",
        text,
      ],
    ),
  ];
  test.each(cases)("%s", async (_, manifest, files, code, text) => {
    const inside = Object.entries(files).map(([name, content]) => [`s/${name}`, content] as const);
    const base = makeFolder({
      "secret.md": "SECRET",
      "t.json": lint,
      "s/good.json": lint,
      ...Object.fromEntries(inside),
      "s/skill.json": json({ name: "s", ...manifest, tools: [...(manifest.tools ?? []), "good.json"] }),
    });
    symlinkSync(base, join(base, "s/link"));
    const { skills, notices } = await load(base, ["s"]);
    expect(skills[0]?.tools.map(({ tool }) => tool.name)).toEqual(["lint"]);
    expect(json(skills)).not.toContain("SECRET");
    expect(notices).toMatchObject([{ level: "warning", code, origin: { kind: "file" } }]);
    expect(notices[0]?.names[0]).toBe("s");
    expect(notices[0]?.text).toMatch(text);
  });

  test("says the line of the reference, or that in the file itself", async () => {
    const base = makeFolder({
      "s/skill.json": '{\n  "name": "s",\n  "prompts": [\n    "gone.md"\n  ],\n  "tools": [\n    "t.json"\n  ]\n}',
      "s/t.json": '{\n  "name": "t",\n  "run": 5\n}',
    });
    const { notices } = await load(base, ["s"]);
    expect(notices.map(({ origin }) => formatOrigin(origin))).toEqual(["s/skill.json:4", "s/t.json:3"]);
  });
});

function laughs(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let at = 1; at < 12; at += 1) {
    lines.push(`a${at}: &a${at} [${Array.from({ length: 9 }, () => `*a${at - 1}`).join(", ")}]`);
  }
  return lines.join("\n");
}

function load(base: string, directories: readonly string[], more: Partial<LoadSkillsOptions> = {}) {
  const all = directories.map((path) => sourced(path));
  return loadSkills({ directories: all, base, home: "/nowhere", ...more });
}
