import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import { trustWorkspace } from "../load-config.ts";
import { toScene } from "../to-scene.ts";

/** What the files say, once a person has agreed to them. */
async function trusted(files: Readonly<Record<string, string>>) {
  const workspace = createWorkspace(files);
  await trustWorkspace(workspace.input());
  return workspace.load();
}

const agentFile = (front: string, body = "Prompt.") => `---\n${front}\n---\n\n${body}\n`;

test("Claude's comma-separated tools are a list, and lines are those of the Markdown file", async () => {
  const config = await trusted({
    ".claude/agents/reviewer.md": agentFile(
      "name: reviewer\ndescription: Reviews\ntools: Read, Grep, Bash(git log:*, x),\ndisallowedTools:\n  - Write\nmodel: inherit\ncolor: blue\npermissionMode: plan",
    ),
  });
  const agent = config.agents.get("reviewer");
  expect(agent?.tools?.value.map(({ value }) => value)).toEqual(["Read", "Grep", "Bash"]);
  expect(formatOrigin(agent?.tools?.origin ?? { kind: "default" })).toBe(".claude/agents/reviewer.md:4");
  expect(agent?.disallowedTools.value.map(({ origin }) => formatOrigin(origin))).toEqual([
    ".claude/agents/reviewer.md:6",
  ]);
  expect(agent).toMatchObject({ description: "Reviews", prompt: "Prompt.", model: null });
  expect(config.notices).toEqual([]);
  expect(config.files.map(({ file }) => file)).toEqual([".claude/agents/reviewer.md"]);
});

test("Copilot's files are named after themselves, and unknown keys are theirs", async () => {
  const config = await trusted({
    ".github/agents/planner.agent.md": agentFile(
      'description: d\ntools: ["*"]\ntarget: vscode\nhandoffs: [x]\nmodel: [gpt-5, other]',
    ),
    ".github/agents/bare.md": "---\r\ndescription: d\r\ntools:\r\n---\r\nBody",
    ".github/agents/notes.txt": "no agent",
    ".github/agents/README.md": "# Our agents",
  });
  expect([...config.agents.keys()]).toEqual(["bare", "planner"]);
  expect(config.notices).toEqual([]);
  expect(config.agents.get("planner")).toMatchObject({ model: { value: "gpt-5" } });
  expect(config.agents.get("bare")).toMatchObject({ tools: null, prompt: "Body" });
});

describe("what products write and read, though it is no YAML", () => {
  const description = 'Use this agent when: a) x. Examples: <example>user: "do it" \\n assistant: ok</example>';
  test.each([
    ["a description with colons", `description: ${description}`, { description }],
    ["a text behind a quoted word", `description: "Reviews" what is there`, { description: '"Reviews" what is there' }],
    ["hints in brackets", "argument-hint: [file] [line]", {}],
    ["a star alone", "disallowedTools: *", { disallowedTools: { value: [{ value: "*" }] } }],
    ["CRLF", `description: a: b\r`, { description: "a: b" }],
  ])("%s", async (_, line, expected) => {
    const front = `name: a\n${line}\ntools:\n  - Read\n  - Grep\nmodel: sonnet`;
    const { agents, notices } = await trusted({ ".claude/agents/a.md": agentFile(front) });
    expect(notices).toEqual([]);
    expect(agents.get("a")).toMatchObject({ model: { value: "sonnet" }, ...expected });
    expect(agents.get("a")?.tools?.value.map(({ value, origin }) => `${value} ${formatOrigin(origin)}`)).toEqual([
      "Read .claude/agents/a.md:5",
      "Grep .claude/agents/a.md:6",
    ]);
  });

  test("a list over several lines stays one beside it", async () => {
    const front = "name: a\ndescription: x: y\ntools: [\n  Read, # reads\n  'Grep'\n]\ndisallowedTools: [Bash] # never";
    const { agents } = await createWorkspace({ ".claude/agents/a.md": agentFile(front) }).load();
    expect(agents.get("a")?.tools?.value.map(({ value }) => value)).toEqual(["Read", "Grep"]);
    expect(agents.get("a")?.disallowedTools.value.map(({ value }) => value)).toEqual(["Bash"]);
  });
});

test("anyone who selects an agent learns what of its file does not count here, and nobody else does", async () => {
  const workspace = createWorkspace({
    ".claude/agents/strict.md": agentFile("name: strict\npermissionMode: plan\nhooks:\n  PreToolUse: []\ncolor: red"),
    ".claude/agents/plain.md": agentFile("name: plain\npermissionMode: default"),
  });
  await trustWorkspace(workspace.input());
  expect((await workspace.load()).notices).toEqual([]);
  expect((await workspace.load({ agent: "plain" })).notices).toEqual([]);
  const { notices } = await workspace.load({ agent: "strict" });
  expect(notices.map(({ code, text, origin }) => `${code} ${formatOrigin(origin)} ${text}`)).toEqual([
    expect.stringMatching(/^agent\.unheeded \.claude\/agents\/strict\.md:3 permissionMode of agent "strict" .* --mode/),
  ]);
  workspace.write("toolcrib.yaml", "agents: [{ name: strict }]");
  expect((await workspace.load({ agent: "strict" })).notices).toEqual([]);
});

const HOOKED = agentFile(
  "name: checked\ndescription: looks\ntools: Read, Bash(git log:*)\nhooks:\n  PreToolUse:\n    - matcher: Write\n      hooks: [{ type: command, command: exit 2 }]",
);

test("what Claude's files say about an agent's calls is taken over, or the file is left out with the reason", async () => {
  const { agents, notices } = await trusted({
    ".claude/agents/planner.md": agentFile(
      "name: planner\npermissionMode: plan\nbackground: true\nisolation: worktree",
    ),
    ".claude/agents/checked.md": HOOKED,
    ".claude/agents/cloud.md": agentFile("name: cloud\nisolation: remote"),
    ".claude/agents/odd.md": agentFile("name: odd\npermissionMode: sometimes"),
  });
  expect(agents.get("planner")).toMatchObject({
    ...{ background: true, worktree: true, permissionMode: { value: "plan" } },
  });
  expect(agents.get("checked")?.tools?.value.map(({ value }) => value)).toEqual(["Read", "Bash"]);
  expect(agents.get("checked")?.hooks.get("preToolUse")).toMatchObject([
    { matcher: "Write", command: "exit 2", dialect: "claude" },
  ]);
  expect([...agents.keys()]).not.toContain("cloud");
  const waiting = await createWorkspace({ ".claude/agents/checked.md": HOOKED }).load();
  expect(waiting.agents.get("checked")).toMatchObject({ prompt: null, description: null });
  expect([...(waiting.agents.get("checked")?.hooks.values() ?? [])].flat()).toEqual([]);
  expect(waiting.trust.items.map(({ path }) => path)).toEqual(["agents[].hooks.preToolUse[]", "agents[]"]);
  expect(notices.map(({ code, text }) => `${code} ${text}`)).toEqual([
    expect.stringMatching(/^agent\.file-invalid .*cloud\.md:\d+: isolation must be "worktree"/),
    expect.stringMatching(/^agent\.file-invalid .*odd\.md:\d+: .*permissionMode must be one of/),
  ]);
});

test("agents that may be started, and calls that are denied, are read with the tools", async () => {
  const front =
    "name: lead\ntools: Read, Agent(lint, lnit), Task(Plan)\ndisallowedTools: Write, Bash(git push:*), mcp__db__*";
  const workspace = createWorkspace({
    ".claude/agents/lead.md": agentFile(front),
    ".claude/agents/lint.md": agentFile("name: lint"),
    ".claude/agents/odd.md": agentFile("name: odd\ndisallowedTools: Bash(git push"),
  });
  await trustWorkspace(workspace.input());
  const { agents, notices } = await workspace.load({ agent: "lead" });
  const lead = agents.get("lead");
  expect(lead?.tools?.value.map(({ value }) => value)).toEqual(["Read", "Agent", "Task"]);
  expect(lead?.startable?.value.map(({ value }) => value)).toEqual(["lint", "lnit", "Plan"]);
  expect(lead?.disallowedTools.value.map(({ value }) => value)).toEqual(["Write", "mcp__db__*"]);
  expect(lead?.denied.map(({ value, origin }) => `${value.text} ${formatOrigin(origin)}`)).toEqual([
    "Bash(git push:*) .claude/agents/lead.md:4",
  ]);
  expect([...agents.keys()]).not.toContain("odd");
  expect(notices.map(({ code, text }) => `${code} ${text}`)).toEqual([
    expect.stringMatching(/^agent\.file-invalid .*odd\.md:3: .*"Bash\(git push" cannot be read/),
    'filter.unknown-name tools of agent "lead" names the agent "lnit", which does not exist; did you mean "lint"?',
  ]);
});

test("chat modes of VS Code are agents, and an agent of the same name beats one", async () => {
  const { agents } = await trusted({
    ".github/chatmodes/ask.chatmode.md": agentFile("description: 'Ask'\ntools: ['codebase', 'fetch']"),
    ".github/chatmodes/plan.chatmode.md": agentFile("description: old"),
    ".github/agents/plan.agent.md": agentFile("description: new"),
  });
  expect(agents.get("ask")?.tools?.value.map(({ value }) => value)).toEqual(["codebase", "fetch"]);
  expect(agents.get("plan")?.description).toBe("new");
});

test("no tools, an empty list and an empty prompt are three different things", async () => {
  const config = await createWorkspace({
    ".claude/agents/a.md": "---\nname: a\ndescription: ''\ntools: []\n---\n",
  }).load();
  expect(config.agents.get("a")).toMatchObject({ tools: { value: [] }, prompt: null });
});

test("configured agents beat files, the project beats the user, .github beats .claude, near beats far", async () => {
  const workspace = createWorkspace({ "toolcrib.yaml": "agents: [{ name: one, prompt: configured }]" });
  const names = ["one", "two", "three", "four"];
  const places = [".github/agents", ".claude/agents", "../.claude/agents", "../.copilot/agents"];
  places.forEach((place, index) => {
    for (const name of names.slice(0, index + 1 + (index === 0 ? 1 : 0) + (index === 1 ? 1 : 0))) {
      workspace.write(`${place}/${name}.md`, agentFile(`name: ${name}`, place));
    }
  });
  await trustWorkspace(workspace.input());
  const config = await workspace.load();
  expect(names.map((name) => config.agents.get(name)?.prompt)).toEqual([
    "configured",
    ".github/agents",
    ".claude/agents",
    "../.copilot/agents",
  ]);
});

describe("a broken file costs itself, a notice and nothing else", () => {
  test.each([
    ["no front matter", "Just text", ":1: there is no front matter"],
    ["an unclosed front matter", "---\nname: x\n", ":1: there is no front matter"],
    ["broken YAML", "---\nname: x\na: }\n---\n", ":3:4: "],
    ["a list", "---\n- x\n---\n", ":2: the front matter must be a map"],
    ["tools of the wrong type", "---\nname: x\ntools: 3\n---\n", ":3: tools must be a list or null; found 3"],
    [
      "an entry of the wrong type",
      "---\nname: x\ntools:\n  - a\n  - [b]\n---\n",
      ":5: tools[1] must be text; found a list",
    ],
    ["a name of the wrong type", "---\nname: [x]\n---\n", ":2: name must be text; found a list"],
  ])("%s", async (_, text, message) => {
    const config = await createWorkspace({
      ".claude/agents/bad.md": text,
      ".claude/agents/good.md": agentFile("name: good"),
    }).load();
    expect([...config.agents.keys()]).toEqual(["good"]);
    expect(config.notices).toHaveLength(1);
    expect(config.notices[0]).toMatchObject({
      code: "agent.file-invalid",
      level: "warning",
      names: [".claude/agents/bad.md"],
    });
    expect(config.notices[0]?.text).toContain(`.claude/agents/bad.md${message}`);
  });

  test("a folder with an agent's name too", async () => {
    const config = await createWorkspace({ ".claude/agents/x.md/y": "" }).load();
    expect(config.notices).toMatchObject([{ code: "agent.file-invalid" }]);
  });
});

test("servers of a user's agent file count, a project's only when trusted, and names refer to configured ones", async () => {
  const workspace = createWorkspace({
    ".github/agents/p.md": agentFile("name: p\nmcp-servers:\n  s: { type: local, command: x }"),
    "../.claude/agents/u.md": agentFile("name: u\nmcpServers:\n  - github\n  - own: { command: x }"),
  });
  const config = await workspace.load();
  expect(config.agents.get("p")?.servers.size).toBe(0);
  expect([...(config.agents.get("u")?.servers.keys() ?? [])]).toEqual(["own"]);
  // Nobody has to decide about an agent that nobody selected.
  expect(config.notices).toMatchObject([{ code: "config.untrusted", names: ["s"] }]);
  expect((await workspace.load({ agent: "p" })).notices).toMatchObject([
    { code: "config.untrusted", names: ["s", "p"] },
  ]);
});

test("in the home folder itself the user's agents are not the project's", async () => {
  const workspace = createWorkspace();
  mkdirSync(join(workspace.home, ".claude", "agents"), { recursive: true });
  writeFileSync(
    join(workspace.home, ".claude", "agents", "a.md"),
    agentFile("name: a\nmcpServers: { s: { command: x } }"),
  );
  const { loadConfig } = await import("../load-config.ts");
  const config = await loadConfig({ ...workspace.input(), cwd: workspace.home });
  expect(config.agents.get("a")?.servers.size).toBe(1);
  expect(config.files).toHaveLength(1);
});

test("anyone who selects an agent whose file cannot be read is told about the file", async () => {
  const config = await trusted({
    "toolcrib.yaml": "agent: planner\n",
    ".github/agents/planner.md": agentFile("tools: [1"),
  });
  expect(() => toScene(config)).toThrow(
    /there is no agent "planner"; .*the agent file is left out: \.github\/agents\/planner\.md/,
  );
});
