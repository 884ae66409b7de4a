import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const REVIEW = "---\ndescription: reviews a change\nargument-hint: BRANCH\n---\nReview $ARGUMENTS.\n";
const FILES = {
  "play.yaml": "replies: [{ text: Hello. }]\n",
  ".claude/commands/review.md": REVIEW,
  ".github/prompts/tidy.prompt.md": "Tidy up.\n",
  ".github/prompts/empty.prompt.md": "---\ndescription: nothing\n---\n",
  ".toolcrib/plugins/more/plugin.json": '{ "name": "more" }',
  ".toolcrib/plugins/more/commands/greet.md": "Greet $1.\n",
};

/** What the model is told when a prompt is given. */
async function saidBy(machine: ReturnType<typeof createMachine>, prompt: string) {
  const argv = ["run", prompt, "--model", "scripted:play.yaml", "--format", "stream-json"];
  const { out, err } = await runCli(argv, { cwd: machine.cwd, env: { HOME: machine.home } });
  const [first] = out.split("\n");
  return { text: first ? JSON.parse(first).data.content[0].text : null, err };
}

test("prompts of a project's files and plugins count once they are trusted, and only then", async () => {
  const machine = createMachine(FILES);
  const trust = () => runCli(["trust", "--yes"], { cwd: machine.cwd, env: { HOME: machine.home } });
  expect((await saidBy(machine, "/review main")).text).toBe("/review main");
  const { out } = await trust();
  expect(out).toContain("prompt command: review (.claude/commands/review.md:1)");
  expect(out).toContain("prompt: Review $ARGUMENTS.");
  expect(out).toContain("prompt command: greet (.toolcrib/plugins/more/commands/greet.md:1, plugin more)");
  expect((await saidBy(machine, "/review main")).text).toBe("Review main.");
  expect((await saidBy(machine, "/tidy the tests")).text).toBe("Tidy up.\n\nthe tests");
  expect((await saidBy(machine, "/greet Ada today")).text).toBe("Greet Ada.");
  expect((await saidBy(machine, "/reviwe main")).err).toContain("there is no command /reviwe; did you mean /review?");
  expect((await saidBy(machine, "/var is full")).text).toBe("/var is full");
  machine.write(".claude/commands/review.md", REVIEW.replace("Review", "Delete"));
  expect((await saidBy(machine, "/review main")).text).toBe("/review main");
  const { out: waiting } = await runCli(["doctor", "--json"], { cwd: machine.cwd, env: { HOME: machine.home } });
  expect(waiting).toContain("the prompt in .github/prompts/empty.prompt.md is left out");
});

test("in a conversation they stand in the help and are said like anything else; its own commands come first", async () => {
  const machine = createMachine({
    ...FILES,
    user: "commands: { hello: { prompt: Say hello to $1. }, help: { prompt: No. } }\n",
  });
  const lines = ["/help", "/hello Ada", "/helo"];
  let type: (line: string) => void = () => {};
  let end: () => void = () => {};
  const { out, err } = await runCli(["chat", "--model", "scripted:play.yaml"], {
    ...{ cwd: machine.cwd, env: { HOME: machine.home, NO_COLOR: "1" }, isTTY: true, columns: 100, types: "" },
    onLine: (listener, onEnd = () => {}) => {
      [type, end] = [listener, onEnd];
      return () => {};
    },
    onErr: (text) => {
      if (text !== "> ") return;
      const line = lines.shift();
      setImmediate(() => (line === undefined ? end() : type(line)));
    },
  });
  expect(out).toMatch(/\/help +this list[\s\S]*\/hello\n/);
  expect(out).not.toContain("/review");
  expect(out).toContain("Hello.");
  expect(err).toMatch(/there is no command \/helo;.*\/hello/);
});

const WRITES = `replies:
  - calls: [{ tool: create, arguments: { path: one.txt, content: made } }]
  - text: Tried.
  - calls: [{ tool: create, arguments: { path: two.txt, content: made } }]
  - text: Done.
`;
const LIMITED = {
  "writes.yaml": WRITES,
  ".github/prompts/listed.prompt.md": "---\ntools: ['codebase', 'search/readFile']\n---\nTidy up.\n",
  ".github/prompts/asks.prompt.md": "---\nagent: ask\n---\nTidy up.\n",
  ".github/prompts/older.prompt.md": "---\nmode: ask\n---\nTidy up.\n",
  ".github/prompts/reviewed.prompt.md": "---\nagent: reviewer\n---\nTidy up.\n",
  ".github/prompts/usual.prompt.md": "---\nagent: agent\ntools: ['edit']\n---\nTidy up.\n",
  ".github/prompts/nobody.prompt.md": "---\nagent: nobody\n---\nTidy up.\n",
  ".github/agents/reviewer.agent.md": "---\ndescription: d\ntools: [read]\n---\nYou read.\n",
  ".claude/commands/allows.md": "---\nallowed-tools: Read\n---\nTidy up.\n",
};

test.each([
  ["listed", false],
  ["asks", false],
  ["older", false],
  ["reviewed", false],
  ["usual", true],
  // Claude's list permits tools and takes none away.
  ["allows", true],
])("what the prompt /%s says about tools and agents holds for its run", async (name, isMade) => {
  const machine = createMachine(LIMITED);
  const at = { cwd: machine.cwd, env: { HOME: machine.home } };
  await runCli(["trust", "--yes"], at);
  const { status } = await runCli(["run", `/${name}`, "--yes", "--model", "scripted:writes.yaml"], at);
  expect([status, existsSync(join(machine.cwd, "one.txt"))]).toEqual([0, isMade]);
});

test("an agent that nobody has costs the run, with the file and line that name it", async () => {
  const machine = createMachine(LIMITED);
  const at = { cwd: machine.cwd, env: { HOME: machine.home } };
  await runCli(["trust", "--yes"], at);
  const { status, err } = await runCli(["run", "/nobody", "--model", "scripted:writes.yaml"], at);
  expect(status).not.toBe(0);
  expect(err).toMatch(/\.github\/prompts\/nobody\.prompt\.md:2: there is no agent "nobody"; there are reviewer/);
});

test("after a limited prompt the conversation has all its tools again", async () => {
  const machine = createMachine(LIMITED);
  await runCli(["trust", "--yes"], { cwd: machine.cwd, env: { HOME: machine.home } });
  const lines = ["/reviewed", "go on"];
  let type: (line: string) => void = () => {};
  let end: () => void = () => {};
  await runCli(["chat", "--yes", "--model", "scripted:writes.yaml"], {
    ...{ cwd: machine.cwd, env: { HOME: machine.home, NO_COLOR: "1" }, isTTY: true, columns: 100, types: "" },
    onLine: (listener, onEnd = () => {}) => {
      [type, end] = [listener, onEnd];
      return () => {};
    },
    onErr: (text) => {
      if (text !== "> ") return;
      const line = lines.shift();
      setImmediate(() => (line === undefined ? end() : type(line)));
    },
  });
  expect(["one.txt", "two.txt"].map((file) => existsSync(join(machine.cwd, file)))).toEqual([false, true]);
});
