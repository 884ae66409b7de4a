import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { needs } from "../support/machine.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("results of built-in tools come in the words that these clients' models know", needs("bash"), async () => {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  const look = { agent_type: "explore", name: "look", description: "Looks", prompt: "Look" };
  const replies = [
    { calls: [{ tool: "bash", arguments: { command: "echo '[exit code 7]'; exit 3", description: "Says" } }] },
    { calls: [{ tool: "task", arguments: { ...look, mode: "background" } }] },
    { calls: [{ tool: "read_agent", arguments: { agent_id: "look", wait: true } }] },
    ...Array.from({ length: 3 }, () => ({ text: "Done." })),
  ];
  await writeFile(script, JSON.stringify({ replies, agents: { explore: [{ text: "Found (it): now" }] } }));
  const client = startRuntime(join(folder, "home"), folder).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  await client.request("session.permissions.setApproveAll", { sessionId: "s", enabled: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const contentOf = (tool: string) => {
    const end = client.events.find(({ type, data }) => type === "tool.execution_complete" && data.toolName === tool);
    expect(end?.data.success).toBe(true);
    return (end?.data.result as { content: string } | undefined)?.content;
  };
  expect(contentOf("bash")).toBe("[exit code 7]\n<exited with exit code 3>");
  expect(contentOf("task")).toMatch(/^Agent started in background with agent_id: look\. /);
  expect(contentOf("read_agent")).toMatch(
    /^Agent completed\. agent_id: look, agent_type: explore, status: completed, description: Looks, elapsed: \d+s, total_turns: 1\n\nFound \(it\): now$/,
  );
});

test("places and lines of files are told as they are, with what these models may do next", async () => {
  const { project } = tempWorkspace();
  const folder = join(project, "app");
  await mkdir(folder);
  const code = "// see https://a.example//b/../c\n";
  await writeFile(join(folder, "a.ts"), code);
  await writeFile(join(folder, ".hidden"), "");
  const call = (tool: string, args: object) => ({ calls: [{ tool, arguments: args }] });
  const replies = [
    call("grep", { pattern: "see", path: folder, output_mode: "content", "-n": true }),
    call("grep", { pattern: "nowhere", path: folder }),
    call("glob", { pattern: "*" }),
    call("glob", { pattern: "*.none" }),
    call("view", { path: ".hidden" }),
    call("create", { path: "a.ts", file_text: "x" }),
  ];
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [...replies, { text: "Done." }] }));
  const client = startRuntime(join(project, "home"), folder).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, workingDirectory: folder });
  await client.request("session.permissions.setApproveAll", { sessionId: "s", enabled: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const ends = client.events.filter(({ type }) => type === "tool.execution_complete").map(({ data }) => data);
  const told = ends.map(({ result, error }) => (result as { content: string }) ?? error);
  expect(told).toMatchObject([
    { content: `${join(folder, "a.ts")}:1:${code.trimEnd()}` },
    { content: "No matches." },
    { content: expect.stringMatching(/^(?=[\s\S]*^\.\/\.hidden$)(?=[\s\S]*^\.\/a\.ts$)/m) },
    { content: "No files match." },
    { content: "1. " },
    { message: "Path a.ts already exists. Change it with edit, or choose another path." },
  ]);
});

test.each([
  ["interactive", "You are now in interactive mode. Start implementing the plan now"],
  ["autopilot", "You are now in autopilot mode. Start implementing the plan now"],
  ["exit_only", "The user does not want it implemented now."],
])("a model whose plan is approved hears which way the user chose: %s", async (selectedAction, next) => {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  const plan = { calls: [{ tool: "exit_plan_mode", arguments: { summary: "Build it" } }] };
  await writeFile(script, JSON.stringify({ replies: [plan, { text: "Done." }] }));
  const client = startRuntime(join(folder, "home"), folder).connect();
  client.answers.set("exitPlanMode.request", () => ({ approved: true, selectedAction, feedback: "Fine" }));
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, requestExitPlanMode: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Plan", agentMode: "plan" });
  const { result } = await client.next("tool.execution_complete");
  const said = (result as { content: string }).content;
  expect(said.startsWith(`Plan approved! Exited plan mode.\n\n${next}`)).toBe(true);
  expect(said).not.toContain("Fine");
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("skills, answers, folders, pictures and missing files come in those words too", async () => {
  const { project } = tempWorkspace();
  await mkdir(join(project, "skills/greet"), { recursive: true });
  await mkdir(join(project, "sub"));
  const skill = "---\nname: greet\ndescription: Greets\n---\nSay hello.\n";
  await writeFile(join(project, "skills/greet/SKILL.md"), skill);
  await writeFile(join(project, "sub/a.ts"), "one\ntwo\n");
  await writeFile(join(project, "dot.png"), PIXEL);
  const call = (tool: string, args: object) => ({ calls: [{ tool, arguments: args }] });
  const replies = [
    call("skill", { skill: "greet" }),
    call("skill", { skill: "gret" }),
    call("ask_user", { question: "Which?", choices: ["red", "blue"] }),
    call("ask_user", { question: "What else?" }),
    call("view", { path: "." }),
    call("view", { path: "sub/a.ts" }),
    call("view", { path: "sub/a.ts", view_range: [2, 2] }),
    call("view", { path: "dot.png" }),
    call("view", { path: "gone.ts" }),
  ];
  const script = join(project, "home/script.json");
  await mkdir(join(project, "home"));
  await writeFile(script, JSON.stringify({ replies: [...replies, { text: "Done." }] }));
  const client = startRuntime(join(project, "home"), project).connect();
  client.answers.set("userInput.request", ({ question }) => ({ answer: "blue", wasFreeform: question !== "Which?" }));
  const skillDirectories = [join(project, "skills")];
  const model = `scripted:${script}`;
  await client.request("session.create", { sessionId: "s", model, requestUserInput: true, skillDirectories });
  await client.request("session.permissions.setApproveAll", { sessionId: "s", enabled: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const ends = client.events.filter(({ type }) => type === "tool.execution_complete").map(({ data }) => data);
  const told = ends.map(({ result, error }) => {
    const { content, message } = { ...(result as object), ...(error as object) } as Record<string, string>;
    return content ?? message;
  });
  expect(told).toEqual([
    'Skill "greet" loaded successfully. Follow the instructions in the skill context.',
    "Skill not found: gret",
    "User selected: blue",
    "User responded: blue",
    "dot.png\nhome\nskills\nsub",
    "1. one\n2. two\n3. ",
    "2. two",
    "Viewed image file successfully.",
    "Path gone.ts does not exist. Please provide a valid path.",
  ]);
  expect(client.events.find(({ type }) => type === "skill.invoked")?.data).toMatchObject({
    name: "greet",
    path: join(project, "skills/greet/SKILL.md"),
    content: "Say hello.",
  });
});

test("two equal questions of one reply keep what each of them says", async () => {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  const question = { question: "Which?", choices: ["red", "blue"] };
  const ask = (more: object) => ({ tool: "ask_user", arguments: { ...question, ...more } });
  const replies = [{ calls: [ask({ allow_freeform: false }), ask({})] }, { text: "Done." }];
  await writeFile(script, JSON.stringify({ replies }));
  const client = startRuntime(join(folder, "home"), folder).connect();
  client.answers.set("userInput.request", ({ allowFreeform }) => ({
    answer: allowFreeform === true ? "green" : "red",
    wasFreeform: allowFreeform,
  }));
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, requestUserInput: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const ends = client.events.filter(({ type }) => type === "tool.execution_complete");
  expect(ends.map(({ data }) => data.result)).toEqual([
    { content: "User selected: red" },
    { content: "User responded: green" },
  ]);
});
