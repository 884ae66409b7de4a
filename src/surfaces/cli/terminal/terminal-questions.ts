import type { PermissionAnswer, PermissionRequest } from "../../../runtime/permissions/permission-request.ts";
import type { Question } from "../../../sources/people-port.ts";
import { escapeLines } from "../../../system/text/escape-text.ts";
import type { Io } from "./io.ts";
import { describeRequest, type LongerScope, readTypedAnswer } from "./permission-question.ts";
import type { TypedLines } from "./typed-lines.ts";

/** Questions of a run, asked on the terminal one after the other, and what somebody types when nothing is asked. */
export interface TerminalQuestions {
  /** Answers can hold as long as anything can, if no scopes are given. */
  onPermissionRequest(request: PermissionRequest, scopes?: readonly LongerScope[]): Promise<PermissionAnswer>;
  askUser(question: Question, signal: AbortSignal): Promise<string>;
  /** The next line that answers no question, typed before or from now on; null when no more can come. */
  readLine(prompt: string): Promise<string | null>;
  /** Gets what is typed while nobody reads; true: it is dealt with. */
  onEarly(take: (line: string) => boolean): void;
  /** Shows again what is waited for, where something else was written since. */
  show(): void;
  /** Forgets lines that nobody has read. */
  forget(): void;
  /** How many lines wait that nobody has read. */
  readonly early: number;
  close(): void;
}

interface Asked {
  readonly prompt: string;
  readonly answer: (line: string | null) => void;
}

export function createTerminalQuestions(io: Io, lines: TypedLines = asTheyCome(io)): TerminalQuestions {
  const waiting: Asked[] = [];
  /** Never an answer: they were typed before the question was shown. */
  const early: string[] = [];
  let reader: Asked | null = null;
  let takeEarly = (_line: string): boolean => false;
  let isOver = false;
  const show = (): void => {
    const [question] = waiting;
    if (question !== undefined) lines.prompt(question.prompt, "question");
    else if (reader !== null) lines.prompt(reader.prompt, "message");
  };
  const read = (line: string | null): void => {
    const last = reader;
    reader = null;
    last?.answer(line);
  };
  const end = (): void => {
    isOver = true;
    for (const { answer } of waiting.splice(0)) answer(null);
    read(null);
  };
  const stop = lines.onLine((line) => {
    const question = waiting.shift();
    question?.answer(line);
    if (question !== undefined) show();
    else if (reader !== null) read(line);
    else if (!takeEarly(line)) early.push(line);
  }, end);
  const ask = (prompt: string, signal: AbortSignal): Promise<string | null> =>
    new Promise((resolve) => {
      if (signal.aborted || isOver) return resolve(null);
      const giveUp = (): void => {
        const at = waiting.indexOf(one);
        if (at !== -1) waiting.splice(at, 1);
        resolve(null);
        if (at !== 0) return;
        io.err("\n");
        lines.giveUp();
        show();
      };
      const answer = (line: string | null): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(line);
      };
      const one = { prompt, answer };
      signal.addEventListener("abort", giveUp, { once: true });
      waiting.push(one);
      if (waiting.length === 1) show();
    });
  return {
    show,
    async readLine(prompt) {
      const line = early.shift();
      if (line !== undefined) {
        lines.echo(prompt, line);
        return line;
      }
      if (isOver) return null;
      return new Promise((answer) => {
        reader = { prompt, answer };
        if (waiting.length === 0) show();
      });
    },
    onEarly(take) {
      takeEarly = take;
    },
    get early() {
      return early.length;
    },
    forget: () => void early.splice(0),
    onPermissionRequest: async (request, scopes) =>
      readTypedAnswer((await ask(`\n${describeRequest(request, scopes)}`, request.signal)) ?? "", request, scopes),
    askUser: (question, signal) => askInWords(question, (text) => ask(text, signal)),
    close() {
      stop();
      end();
    },
  };
}

async function askInWords(
  { question, choices }: Question,
  ask: (text: string) => Promise<string | null>,
): Promise<string> {
  const listed = choices.map((choice, at) => `  ${at + 1}. ${choice}\n`).join("");
  const line = (await ask(`\n${escapeLines(question)}\n${escapeLines(listed)}> `)) ?? "";
  return choices[Number(line.trim()) - 1] ?? line;
}

function asTheyCome({ err, onLine }: Io): TypedLines {
  const echo = (prompt: string, said: string): void => err(`${prompt}${escapeLines(said)}\n`);
  return { prompt: err, giveUp: () => {}, echo, onLine };
}
