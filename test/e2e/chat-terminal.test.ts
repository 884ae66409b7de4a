import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { startReplayServer } from "../support/replay-server.ts";
import { newMachine } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

/** From util-linux; it gives a program a terminal. */
const TERMINAL = "script";
const PATIENCE = 30_000;
const KEYS = { up: "\u001b[A", enter: "\r", interrupt: "\u0003", end: "\u0004", newLine: "\u001b\r" } as const;
const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;
/** What the screen itself writes: where its rows are, colours, and that pastes are marked. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about them.
const OURS = /\u001b\[(?:\d*[AC]|J|\?2004[hl]|(?:1|2|3|4|9|22|23|24|29|36|39)m)|\r|\n/g;

/** `toolcrib chat` on a terminal of its own. */
function openChat(
  { cwd, env, bin }: ReturnType<typeof newMachine>,
  model: string,
  given: Readonly<Record<string, string>> = {},
) {
  const command = `'${process.execPath}' '${bin}' chat --model ${model}; echo "ended with $?"`;
  const terminal = spawn(TERMINAL, ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "xterm", NO_COLOR: "1", ...env, ...given },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void terminal.kill("SIGKILL"));
  let shown = "";
  let read = 0;
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  return {
    type: (keys: string) => void terminal.stdin.write(keys),
    /** Everything that was written to the terminal. */
    get shown() {
      return shown;
    },
    /** Waits for it among what was not waited for yet. */
    async sees(text: string) {
      await vi
        .waitUntil(() => shown.indexOf(text, read) !== -1, PATIENCE)
        .catch(() => {
          throw new Error(`the terminal does not show ${JSON.stringify(text)}:\n${shown}`);
        });
      read = shown.indexOf(text, read) + text.length;
    },
  };
}

test(
  "arrow up brings back what was said, also in the next conversation, and no answer to a question",
  needs("script"),
  async () => {
    const script = `replies:
  - text: Hello Ada.
  - calls: [{ tool: create, arguments: { path: new.txt, content: made } }]
  - text: Done.
  - text: Again.
`;
    const machine = newMachine({ "talk.yaml": script });
    const first = openChat(machine, "scripted:talk.yaml");
    await first.sees("> ");
    first.type(`I am Ada.${KEYS.enter}`);
    await first.sees("Hello Ada.");
    await first.sees("> ");
    first.type(`Make a file${KEYS.enter}`);
    await first.sees("Allow it?");
    first.type(`yes${KEYS.enter}`);
    await first.sees("Done.");
    await first.sees("> ");
    first.type(`${KEYS.up}`);
    await first.sees("Make a file");
    first.type(`${KEYS.up}`);
    await first.sees("I am Ada.");
    first.type(KEYS.enter);
    await first.sees("Again.");
    await first.sees("> ");
    first.type(KEYS.end);
    await first.sees("ended with 0");

    const folder = join(machine.home, ".local", "state", "toolcrib", "history");
    const [file = ""] = readdirSync(folder);
    expect(readFileSync(join(folder, file), "utf8")).toBe("I am Ada.\nMake a file\nI am Ada.\n");
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);

    const second = openChat(machine, "scripted:talk.yaml");
    await second.sees("> ");
    second.type(`${KEYS.up}${KEYS.up}`);
    await second.sees("Make a file");
    second.type(KEYS.interrupt);
    await second.sees("ended with 130");
  },
);

test("Ctrl-C stops what the model writes, and the next one ends the conversation", needs("script"), async () => {
  const piece = { choices: [{ delta: { content: "Once upon a time" } }] };
  await using model = await startReplayServer([{ body: `data: ${JSON.stringify(piece)}\n\n`, hangs: true }]);
  const chat = openChat(newMachine(), "ollama/tale", { OLLAMA_HOST: model.url });
  await chat.sees("> ");
  chat.type(`Tell a tale${KEYS.enter}`);
  await chat.sees("Once upon a time");
  chat.type(KEYS.interrupt);
  await chat.sees("the run was stopped");
  await chat.sees("> ");
  chat.type(KEYS.interrupt);
  await chat.sees("ended with 130");
});

const asked = (machine: ReturnType<typeof newMachine>): readonly string[] => {
  const lines = readFileSync(join(machine.cwd, "talk.jsonl"), "utf8").trim().split("\n");
  const events = lines.map((line) => JSON.parse(line));
  return events.filter(({ type }) => type === "user.message").map(({ data }) => data.content[0].text);
};

test("a paste of several lines is one message, and so are lines that Alt+Enter begins", needs("script"), async () => {
  const machine = newMachine({ "talk.yaml": "replies: [One., Two., Three.]\n" });
  const chat = openChat(machine, "scripted:talk.yaml");
  await chat.sees("> ");
  chat.type(`${paste("Why?\r  at a\n\tat b\u001b[31m")}${KEYS.enter}`);
  await chat.sees("One.");
  chat.type(`first${KEYS.newLine}second\\${KEYS.enter}third${KEYS.enter}`);
  await chat.sees("Two.");
  chat.type(`${KEYS.up}${KEYS.up}${KEYS.up}${KEYS.up}${KEYS.enter}`);
  await chat.sees("Three.");
  chat.type(`/export talk.jsonl${KEYS.enter}`);
  await chat.sees("Written to ");
  expect(asked(machine)).toEqual(["Why?\n  at a\n\tat b", "first\nsecond\nthird", "Why?\n  at a\n\tat b"]);
  chat.type(KEYS.end);
  await chat.sees("ended with 0");
});

test(
  "it can be typed at once, and a message waits for the servers, with what is waited for",
  needs("script"),
  async () => {
    const silent =
      'mcpServers:\n  quiet: { command: node, args: ["-e", "setTimeout(() => {}, 60000)"], startTimeout: 4000 }\n';
    const machine = newMachine({ user: silent, "talk.yaml": "replies: [Here.]\n" });
    const chat = openChat(machine, "scripted:talk.yaml");
    await chat.sees("starting quiet (0 s)");
    chat.type(`Hello${KEYS.enter}`);
    await chat.sees("> Hello");
    await chat.sees("starting quiet (");
    await chat.sees('"quiet" did not start within 4 s');
    await chat.sees("Here.");
    chat.type(KEYS.end);
    await chat.sees("ended with 0");
  },
);

test("what is half typed is no answer to a question, and comes back behind it", needs("script"), async () => {
  const call = "{ tool: bash, arguments: { command: 'touch a && rm -r b' } }";
  const script = `replies:\n  - calls: [${call}]\n  - text: Once.\n  - calls: [${call}]\n  - text: Twice.\n`;
  const machine = newMachine({ "talk.yaml": script });
  const chat = openChat(machine, "scripted:talk.yaml");
  await chat.sees("> ");
  chat.type(`Go${KEYS.enter}yes`);
  await chat.sees("for longer than once: exactly this command line");
  await chat.sees("Allow it? [y]es once, this [s]ession, this [p]roject, always for [m]e, [N]o ");
  chat.type(`s${KEYS.enter}`);
  await chat.sees("Once.");
  await chat.sees("> yes");
  chat.type(` again${KEYS.enter}`);
  // The same call is not asked about again.
  await chat.sees("Twice.");
  chat.type(`/export talk.jsonl${KEYS.enter}`);
  await chat.sees("Written to ");
  expect(asked(machine)).toEqual(["Go", "yes again"]);
  chat.type(KEYS.end);
  await chat.sees("ended with 0");
});

test.each([{ NO_COLOR: "1" }, { NO_COLOR: "" }])(
  "no text of a model or a server steers the terminal with %o",
  needs("script"),
  async (env) => {
    const nasty = "\\e]0;title\\a\\e[31m\\e[2J\\e[?1049h\\x9b2J\\r\\b\\x00\\u202e";
    const script = `replies:
  - text: "**Bold** ${nasty}\\n\`\`\`\\n${nasty}\\n\`\`\`\\n| ${nasty} |\\n"
    calls: [{ tool: bash, arguments: { command: "printf '${nasty}' # ${nasty}", description: "${nasty}" } }]
  - calls: [{ tool: "no${nasty}", arguments: {} }, { tool: ask_user, arguments: { question: "${nasty}?", choices: ["${nasty}"] } }]
  - error: { status: 400, message: "${nasty}" }
`;
    const shouts = `process.stderr.write("\u001b]0;server\u0007\u001b[2J"); process.exit(3)`;
    const server = `mcpServers:\n  loud: { command: node, args: ["-e", ${JSON.stringify(shouts)}] }\n`;
    const machine = newMachine({ user: server, "talk.yaml": script });
    const chat = openChat(machine, "scripted:talk.yaml", env);
    await chat.sees("> ");
    chat.type(`Go${KEYS.enter}`);
    await chat.sees("Allow it?");
    chat.type(`n${KEYS.enter}`);
    await chat.sees("  1. ");
    chat.type(`1${KEYS.enter}`);
    await chat.sees("toolcrib: ");
    await chat.sees("> ");
    chat.type(KEYS.end);
    await chat.sees("ended with 0");
    // Typed before the terminal was taken over, keys are echoed as ^D.
    expect(chat.shown).toContain(env.NO_COLOR === "" ? "\u001b[1mBold\u001b[22m" : "**Bold**");
    expect(chat.shown).toContain("\\x1b]0;title");
    expect(chat.shown.replace(OURS, "")).not.toMatch(/\p{Cc}|\u202e/u);
  },
);
