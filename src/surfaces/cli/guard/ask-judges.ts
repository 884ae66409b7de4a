import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { guardFolder } from "../../../config/layers/state-folder.ts";
import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { ASK_SECONDS } from "../../guard/hook-line.ts";
import { SETTING_VARIABLES, writeQuestion } from "../../guard/hook-question.ts";
import { readSealed, sealAnswer } from "../../guard/sealed-answer.ts";
import type { Io } from "../terminal/io.ts";

/**
 * Has any running Toolcrib of this person judge a client's call; null where none does. It is loaded before every hook, so it
 * needs nothing else of Toolcrib.
 */
export async function askJudges(argv: readonly string[], io: Io): Promise<number | null> {
  const words = readHookWords(argv);
  const answer = words === null ? null : await askAny(words.client, io);
  return words === null || answer === null ? null : printHookAnswer(io, answer, words.isSealed);
}

/** The plain form of the command line; null for any other, which the command itself reads. */
export function readHookWords(argv: readonly string[]): { readonly client: string; readonly isSealed: boolean } | null {
  const [command, client = "", ...rest] = argv;
  const isSealed = rest.length === 1 && rest[0] === "--sealed";
  const isPlain = command === "hook" && /^[a-z-]+$/.test(client) && rest.length === Number(isSealed);
  return isPlain ? { client, isSealed } : null;
}

/** Prints an answer as a client reads it, or with its seal; returns the status to end with. */
export function printHookAnswer({ out, err }: Io, answer: ClientAnswer, isSealed: boolean): number {
  if (isSealed) {
    out(sealAnswer(answer));
    return 0;
  }
  if (answer.out !== "") out(answer.out);
  if (answer.err !== "") err(answer.err);
  return answer.status;
}

async function askAny(client: string, io: Io): Promise<ClientAnswer | null> {
  const sockets = findSockets(io);
  if (sockets.length === 0) return null;
  const question = writeQuestion({
    client,
    settings: SETTING_VARIABLES.map((name) => io.env[name] ?? ""),
    path: io.env.PATH ?? "",
    folder: io.cwd,
    event: await io.readInput("end"),
  });
  const end = performance.now() + ASK_SECONDS * 1_000;
  for (const path of sockets) {
    const answer = await ask(path, question, end - performance.now());
    if (answer !== null) return answer;
    if (performance.now() >= end) return null;
  }
  return null;
}

/** Those that this person's processes have made. */
function findSockets({ env }: Io): readonly string[] {
  try {
    const folder = guardFolder({ home: homeFolder(env), env });
    return readdirSync(folder).flatMap((name) => {
      if (!name.endsWith(".sock")) return [];
      const path = join(folder, name);
      const found = lstatSync(path);
      return found.isSocket() && found.uid === process.getuid?.() ? [path] : [];
    });
  } catch {
    return [];
  }
}

function ask(path: string, question: string, patience: number): Promise<ClientAnswer | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    // Loaded here, for most of those who ask find no socket.
    const socket = process.getBuiltinModule("node:net").connect(path);
    const timer = setTimeout(() => finish(null), patience);
    const finish = (answer: ClientAnswer | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.on("error", () => finish(null));
    socket.on("data", (part) => {
      parts.push(part);
      const answer = readSealed(Buffer.concat(parts).toString("utf8"));
      if (answer !== null) finish(answer);
    });
    socket.on("end", () => finish(null));
    socket.end(question);
  });
}
