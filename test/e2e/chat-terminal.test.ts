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
const KEYS = { up: "\u001b[A", enter: "\r", interrupt: "\u0003", end: "\u0004" } as const;

/** `toolcrib chat` on a terminal of its own. */
function openChat({ cwd, env, bin }: ReturnType<typeof newMachine>, model: string) {
  const command = `'${process.execPath}' '${bin}' chat --model ${model}; echo "ended with $?"`;
  const terminal = spawn(TERMINAL, ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", TERM: "xterm", NO_COLOR: "1", ...env },
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
  const machine = newMachine();
  const chat = openChat(
    { ...machine, env: { ...machine.env, OLLAMA_HOST: model.url } as typeof machine.env },
    "ollama/tale",
  );
  await chat.sees("> ");
  chat.type(`Tell a tale${KEYS.enter}`);
  await chat.sees("Once upon a time");
  chat.type(KEYS.interrupt);
  await chat.sees("the run was stopped");
  await chat.sees("> ");
  chat.type(KEYS.interrupt);
  await chat.sees("ended with 130");
});
