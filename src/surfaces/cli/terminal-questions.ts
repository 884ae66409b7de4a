import type { PermissionAnswer, PermissionHandler } from "../../runtime/permissions/permission-request.ts";
import type { Question } from "../../sources/host.ts";
import { describeRequest, readAnswer } from "./call-command.ts";
import { escapeLines } from "./escape-text.ts";
import type { Io } from "./io.ts";

/** Questions of a run, asked on the terminal one after the other. */
export interface TerminalQuestions {
  readonly onPermissionRequest: PermissionHandler;
  askUser(question: Question, signal: AbortSignal): Promise<string>;
  /** The next line that nobody else waits for; null when it was given up. */
  readLine(prompt: string, signal?: AbortSignal): Promise<string | null>;
  close(): void;
}

export function createTerminalQuestions(io: Io): TerminalQuestions {
  const waiting: { readonly prompt: string; readonly answer: (line: string | null) => void }[] = [];
  const show = (): void => {
    const [first] = waiting;
    if (first !== undefined) io.err(first.prompt);
  };
  const stop = io.onLine((line) => {
    waiting.shift()?.answer(line);
    show();
  });
  const readLine = (prompt: string, signal?: AbortSignal): Promise<string | null> =>
    new Promise((resolve) => {
      const one = {
        prompt,
        answer: (line: string | null): void => {
          signal?.removeEventListener("abort", giveUp);
          resolve(line);
        },
      };
      const giveUp = (): void => {
        const at = waiting.indexOf(one);
        if (at !== -1) waiting.splice(at, 1);
        resolve(null);
        if (at === 0) show();
      };
      if (signal?.aborted) return resolve(null);
      signal?.addEventListener("abort", giveUp, { once: true });
      waiting.push(one);
      if (waiting.length === 1) show();
    });
  return {
    readLine,
    async onPermissionRequest(request): Promise<PermissionAnswer> {
      return readAnswer((await readLine(`\n${describeRequest(request)}`)) ?? "", request);
    },
    async askUser({ question, choices }, signal) {
      const listed = choices.map((choice, at) => `  ${at + 1}. ${choice}\n`).join("");
      const line = (await readLine(`\n${escapeLines(question)}\n${escapeLines(listed)}> `, signal)) ?? "";
      return choices[Number(line.trim()) - 1] ?? line;
    },
    close() {
      stop();
      for (const { answer } of waiting.splice(0)) answer(null);
    },
  };
}
