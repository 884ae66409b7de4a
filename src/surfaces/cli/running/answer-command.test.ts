import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { createTerminalQuestions } from "../terminal/terminal-questions.ts";
import { createRemoteIo } from "./answer-command.ts";

test("questions to the terminal of another process are each answered by a line typed behind them", async () => {
  const said: string[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk, _, done) {
      said.push(...String(chunk).trimEnd().split("\n"));
      done();
    },
  });
  const terminal = { cwd: "/", columns: 80, isTTY: true, errIsTTY: true, canAsk: true, env: {} };
  const io = createRemoteIo(socket as unknown as Socket, terminal, {}); // It reads, writes and ends, and nothing more is used.
  const questions = createTerminalQuestions(io);
  expect(said).toEqual(['{"listen":true}']);
  const type = (line: string): Promise<void> => {
    socket.push(`${JSON.stringify(line)}\n`);
    return new Promise((resolve) => setImmediate(resolve));
  };
  const { signal } = new AbortController();
  const ask = (question: string) => questions.askUser({ question, choices: [] }, signal);
  await type("too early");
  const first = ask("first?");
  await type("one");
  const second = ask("second?");
  await type("two");
  const third = ask("third?");
  socket.push("null\n");
  expect(await Promise.all([first, second, third])).toEqual(["one", "two", ""]);
  questions.close();
  expect(said.at(-1)).toBe('{"listen":false}');
});
