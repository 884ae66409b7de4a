import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { auditedCalls, createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { foldJournal } from "../../../core/events/fold-journal.ts";

const TALK = `replies:
  - text: Hello Ada.
  - calls: [{ tool: create, arguments: { path: new.txt, content: made } }]
  - text: Done.
`;

type Machine = Pick<ReturnType<typeof createMachine>, "cwd" | "home">;

interface Typing {
  /** What is answered to a question about a call; null: Ctrl-C. */
  readonly answer?: string | null;
  readonly argv?: readonly string[];
  /** Typed as soon as that is shown, one after the other. */
  readonly whenShown?: readonly (readonly [RegExp, string])[];
}

/** Types a line whenever a prompt comes, and Ctrl-D behind the last one. */
async function chat({ cwd, home }: Machine, lines: readonly string[], typing: Typing = {}) {
  const left = [...lines];
  let type: (line: string) => void = () => {};
  let end: () => void = () => {};
  let takes: () => boolean = () => false;
  const { answer = "n" } = typing;
  const soon = [...(typing.whenShown ?? [])];
  const result = await runCli(["chat", "--model", "scripted:talk.yaml", ...(typing.argv ?? [])], {
    ...{ cwd, env: { HOME: home, NO_COLOR: "1" }, isTTY: true, columns: 100, types: "" },
    onLine: (listener, onEnd = () => {}) => {
      [type, end] = [listener, onEnd];
      return () => {};
    },
    onInterrupt: (_stop, asked = () => false) => {
      takes = asked;
      return () => {};
    },
    onErr: (text) => {
      if (text === "> ") {
        const line = left.shift();
        setImmediate(() => (line === undefined ? end() : type(line)));
      }
      if (soon[0]?.[0].test(text)) setImmediate(type, soon.shift()?.[1] ?? "");
      if (text.includes("Allow it?")) setImmediate(() => (answer === null ? takes() : type(answer)));
    },
  });
  return { cwd, ...result };
}

test("each line is a run, and the conversation goes on from line to line", async () => {
  const machine = createMachine({ "talk.yaml": TALK });
  const { cwd, status, out, err } = await chat(
    machine,
    ["I am Ada.", "Make a file", "/export talk.jsonl", "/export talk.md"],
    { answer: "y" },
  );
  expect(status).toBe(0);
  expect(out).toContain("Hello Ada.\nDone.\n");
  expect(err).toContain('→ create {"path":"new.txt"');
  expect(err).toContain('create (built-in) wants to run with {"path":"new.txt"}\n  + made\n');
  expect(readFileSync(join(cwd, "new.txt"), "utf8")).toBe("made");
  const lines = readFileSync(join(cwd, "talk.jsonl"), "utf8").trim().split("\n");
  const types: readonly string[] = lines.map((line) => JSON.parse(line).type);
  const said = types.filter((one) => /^(?:user|assistant)\.message$|^tool\.answers$/.test(one));
  expect(said.map((one) => one.split(".")[0])).toEqual(["user", "assistant", "user", "assistant", "tool", "assistant"]);
  const page = readFileSync(join(cwd, "talk.md"), "utf8");
  expect(page).toMatch(/> I am Ada\.\n.*\nHello Ada\.\n.*> Make a file\n.*### → create\n.*\nDone\.\n/s);
  expect(await auditedCalls(machine)).toMatchObject([
    { client: "toolcrib chat", tool: "create", decision: { decision: "allow" }, result: "success" },
  ]);
});

test("/plan shows the plan that the model keeps in a stored conversation, also in the next one", async () => {
  const talk =
    'replies:\n  - calls: [{ tool: plan, arguments: { content: "# Plan\\n\\n1. \\u001b[2JRead" } }]\n  - text: Kept.\n';
  const machine = createMachine({ "talk.yaml": talk });
  const { out } = await chat(machine, ["/plan", "Plan it"], { argv: ["--keep"] });
  expect(out).toMatch(/^There is no plan\. .*\nKept\.\n$/);
  expect((await chat(machine, ["/plan"], { argv: ["--continue"] })).out).toBe("# Plan\n\n1. \\x1b[2JRead\n");
});

test("/agents stop ends one agent while the model waits for it, and the model goes on", async () => {
  const task = "{ agent: general, prompt: Wait, description: Waits, mode: wait }";
  const talk = `replies:\n  - calls: [{ tool: task, arguments: ${task} }]\n  - text: It was stopped.\nagents:\n  general:\n    - calls: [{ tool: bash, arguments: { command: "sleep 600" } }]\n`;
  const machine = createMachine({ "talk.yaml": talk, user: "permissions: { allow: [bash] }\n" });
  const { out, err } = await chat(machine, ["Go"], {
    whenShown: [
      [/bash/, "/agents stop nobody-1"],
      [/no agent nobody-1 is at work/, "/agents stop general-1"],
    ],
  });
  expect(err).toContain("toolcrib: no agent nobody-1 is at work; there is general-1");
  expect(out).toBe("general-1 was stopped.\nIt was stopped.\n");
});

test("/now interrupts what runs and goes on with what was said; with nothing at work it is a message", async () => {
  const talk =
    'replies:\n  - calls: [{ tool: bash, arguments: { command: "sleep 600" } }]\n  - text: Something else.\n  - text: Hello.\n';
  const machine = createMachine({ "talk.yaml": talk, user: "permissions: { allow: [bash] }\n" });
  const { cwd, out, err } = await chat(machine, ["Go", "/now Hi", "/now", "/export talk.jsonl"], {
    whenShown: [[/bash/, "/now do something else"]],
  });
  expect(out).toMatch(/^Something else\.\nHello\.\nWritten to /);
  expect(err).toContain("toolcrib: /now needs TEXT\n");
  const events = readFileSync(join(cwd, "talk.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.flatMap(({ type, data }) => (type === "user.message" ? [data.content[0].text] : []))).toEqual([
    "Go",
    "do something else",
    "Hi",
  ]);
  expect(events.find(({ type }) => type === "tool.answers").data.answers).toMatchObject([
    { result: { cancelledBy: "user" } },
  ]);
});

test("a conversation begins with what waits for trust, in one line", async () => {
  const waiting = "mcpServers:\n  town: { command: town }\n";
  const { err } = await chat(createMachine({ "talk.yaml": TALK, "toolcrib.yaml": waiting }), ["Hello"]);
  expect(err.match(/left out: server town .*Run "toolcrib trust"/g)).toHaveLength(1);
});

test("a call that is not allowed does not run, and the conversation goes on", async () => {
  const { cwd, out, err } = await chat(createMachine({ "talk.yaml": TALK }), ["Hello", "Make a file"]);
  expect(out).toBe("Hello Ada.\nDone.\n");
  expect(err).toContain("✗ create");
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
});

test("Ctrl-C gives up the question and stops the run, and what comes next is a run again", async () => {
  const { cwd, status, out, err } = await chat(createMachine({ "talk.yaml": TALK }), ["Hello", "Make a file", "y"], {
    answer: null,
  });
  expect(status).toBe(0);
  expect(err).toContain("toolcrib: the run was stopped\n");
  expect(out).toBe("Hello Ada.\nDone.\n");
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
});

test("/undo takes back what was said last, and the model does not hear of it again", async () => {
  const machine = createMachine({ "talk.yaml": TALK });
  const { cwd, out } = await chat(machine, [
    "/undo",
    "Hello",
    "/undo",
    "/undo",
    "Make a file",
    "y",
    "/export talk.jsonl",
  ]);
  expect(out).toContain(
    "There is nothing to take back.\nHello Ada.\nTaken back: Hello\nThere is nothing to take back.\n",
  );
  const events = readFileSync(join(cwd, "talk.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(foldJournal(events).history.map(({ seq }) => events[seq - 1].type)[0]).toBe("user.message");
  expect(JSON.stringify(events.filter(({ type }) => type === "history.truncated"))).toContain('"from"');
});

test("/why, /tools, /agents and /skills say what there is", async () => {
  const { out } = await chat(
    createMachine({ "talk.yaml": TALK }),
    ["/why bash", "/tools", "/agents", "/skills", "/help"],
    {
      argv: ["--exclude", "bash"],
    },
  );
  expect(out).toContain("bash is hidden\n");
  expect(out).toMatch(/^visible +view /m);
  expect(out).toMatch(/^explore +looks around/m);
  expect(out).toContain("There are no skills.\n");
  expect(out).toMatch(/^\/why TOOL +why a tool is there or not/m);
});

test("what is wrong with a command is said, and nothing ends by it", async () => {
  const files = { "talk.yaml": TALK, "there.md": "mine" };
  const lines = ["/tolls", "/why", "/why nothing_like_it", "/export there.md", "/export a.txt", "/compact", "Hello"];
  const { cwd, out, err } = await chat(createMachine(files), lines);
  expect(err).toContain('there is no command /tolls; did you mean "/tools"?\n');
  expect(err).toContain("/why needs TOOL\n");
  expect(err).toContain('there is no tool "nothing_like_it"');
  expect(err).toContain("there.md exists; name a new file\n");
  expect(err).toContain("one of .jsonl, .md, .html, not to a.txt\n");
  expect(readFileSync(join(cwd, "there.md"), "utf8")).toBe("mine");
  expect(out).toBe("There is nothing to shorten yet.\nHello Ada.\n");
});

test("/model takes another model for what comes next, and keeps the old one where it cannot", async () => {
  const files = { "talk.yaml": TALK, "other.yaml": "replies: [Other here.]\n" };
  const { out, err } = await chat(createMachine(files), [
    "Hello",
    "/model scripted:none.yaml",
    "/model scripted:other.yaml",
    "And?",
  ]);
  expect(err).toContain("none.yaml cannot be read");
  expect(out).toBe("Hello Ada.\nThe model is scripted:other.yaml.\nOther here.\n");
});

test("a model that fails ends its turn alone, and /exit the conversation", async () => {
  const script = "replies: [{ error: { status: 400, message: too bad } }, Better.]\n";
  const { status, out, err } = await chat(createMachine({ "talk.yaml": script }), [
    "Hello",
    "Again",
    "/exit",
    "Never read",
  ]);
  expect(status).toBe(0);
  expect(err).toContain("too bad");
  expect(out).toBe("Better.\n");
});

test("lines typed while the model works are runs of their own, and never an answer", async () => {
  const { cwd, home } = createMachine({ "talk.yaml": TALK });
  let type: (line: string) => void = () => {};
  let end: () => void = () => {};
  const { out } = await runCli(["chat", "--model", "scripted:talk.yaml"], {
    ...{ cwd, env: { HOME: home, NO_COLOR: "1" }, isTTY: true, columns: 100, types: "" },
    onLine: (listener, onEnd = () => {}) => {
      [type, end] = [listener, onEnd];
      return () => {};
    },
    onErr: (text) => {
      if (text === "> ") setImmediate(() => ["Hello", "Make a file", "y"].map(type));
      if (text.includes("Allow it?")) setImmediate(end);
    },
  });
  expect(out).toMatch(/^Hello Ada\.\nDone\.\n/);
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
});

test("a conversation that is kept goes on in another one, which exports all of it", async () => {
  const machine = createMachine({
    "talk.yaml": "replies: [Hello Ada., Unused.]\n",
    "more.yaml": "replies: [Still Ada.]\n",
  });
  await chat(machine, ["I am Ada."], { argv: ["--keep"] });
  const { out } = await chat(machine, ["/model scripted:more.yaml", "Who am I?", "/export all.md"], {
    argv: ["--continue"],
  });
  expect(out).toContain("Still Ada.\n");
  const page = readFileSync(join(machine.cwd, "all.md"), "utf8");
  expect(page).toMatch(/> I am Ada\.\n.*\nHello Ada\.\n.*> Who am I\?\n.*\nStill Ada\.\n/s);
});

test("without a terminal it points to run", async () => {
  const { cwd, home } = createMachine({ "talk.yaml": TALK });
  const { status, err } = await runCli(["chat", "--model", "scripted:talk.yaml"], { cwd, env: { HOME: home } });
  expect(status).toBe(2);
  expect(err).toContain('chat needs a terminal; in a script or a pipe, use "toolcrib run PROMPT"');
});

test("/agent selects who works", async () => {
  const files = {
    "talk.yaml": "replies:\n  - text: Hello Ada.\n  - text: Hello Bob.\n",
    "toolcrib.yaml": "agents:\n  - { name: reviewer, description: d, prompt: You review., tools: [view] }\n",
  };
  const lines = ["/agent reviewer", "/agent nobody", "I am Ada.", "/agent"];
  const { status, out, err } = await chat(createMachine(files), [...lines, "/agent default"]);
  expect(status).toBe(0);
  expect(out.match(/The agent is reviewer\.\n/g)).toHaveLength(2);
  expect(err).toContain('there is no agent "nobody"');
  expect(out).toContain("The agent is the default one.\n");
});
