import { chmod, readdir, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { guardFolder } from "../../../config/layers/state-folder.ts";
import { isAlive } from "../../../system/process/is-alive.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { CLIENT_SECONDS } from "../../guard/hook-line.ts";
import { parseQuestion, QUESTION_HEAD, SETTING_VARIABLES } from "../../guard/hook-question.ts";
import { sealAnswer } from "../../guard/sealed-answer.ts";
import type { CommandInput } from "../command-line/command.ts";
import { fitsSocket, prepareFolder } from "../running/socket-folder.ts";
import { settingPlaces } from "../running/work-place.ts";
import { answerHook, type HookAnswering } from "./answer-hook.ts";
import type { HookPlace } from "./hook-place.ts";

interface JudgeDoor {
  close(): Promise<void>;
}

/** Bytes of a question; a larger one is for a process of its own. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Answers the hooks of clients for this person, whatever folder they work in, at the socket `guard/PID.sock` in the state
 * folder. Null, and a word for debugging, where there can be none: hooks then decide by themselves.
 * @param env what counts now, later variables included
 */
export async function openJudgeDoor(
  input: CommandInput,
  env: () => CommandInput["io"]["env"],
  ports: HookAnswering,
): Promise<JudgeDoor | null> {
  const { io, log } = input;
  const folder = guardFolder(settingPlaces(io));
  const path = join(folder, `${process.pid}.sock`);
  const problem =
    process.platform === "win32"
      ? "cannot hold a socket"
      : fitsSocket(path)
        ? await prepareFolder(folder)
        : "is too long for a socket";
  if (problem !== null) {
    log.debug(`hooks of clients decide by themselves, since ${folder} ${problem}`);
    return null;
  }
  await removeLeft(folder);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("error", () => {}).once("close", () => open.delete(socket));
    socket.setTimeout(CLIENT_SECONDS * 1_000, () => socket.destroy());
    hear(socket, (question) => {
      answer(env(), question, ports).then(
        (sealed) => socket.end(sealed ?? ""),
        (error: unknown) => {
          log.failed("a hook of a client could not be answered", error);
          socket.destroy();
        },
      );
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, MOST_WAITING, resolve));
  await chmod(path, 0o600);
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Clients run many tools at once. */
const MOST_WAITING = 1_024;

/** Sockets of processes that were killed. */
async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = /^(\d+)\.sock$/.exec(name) ?? [];
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      await rm(join(folder, name), { force: true });
  }
}

/** Waits for the whole question. What is none, or too large, has its connection closed at once. */
function hear(socket: Socket, ask: (question: string) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  socket.on("data", (part) => {
    parts.push(part);
    bytes += part.length;
    const head = parts[0] === part ? part.toString("utf8", 0, QUESTION_HEAD.length) : "";
    if (bytes > MOST_BYTES || !QUESTION_HEAD.startsWith(head)) socket.destroy();
  });
  socket.once("end", () => ask(Buffer.concat(parts).toString("utf8")));
}

/** Null where other settings count for the one who asks than here: they decide by themselves. */
async function answer(env: HookPlace["env"], text: string, ports: HookAnswering): Promise<string | null> {
  const asked = parseQuestion(text);
  const client = asked === null ? null : clientOf(asked.client);
  if (asked === null || client === null || asked.folder === "") return null;
  if (SETTING_VARIABLES.some((name, at) => asked.settings[at] !== (env[name] ?? ""))) return null;
  const there = { cwd: asked.folder, env: { ...env, PATH: asked.path } };
  return sealAnswer(await answerHook(there, { client, event: asked.event }, ports));
}

function clientOf(name: string): HookClientName | null {
  return Object.hasOwn(HOOK_CLIENTS, name) ? (name as HookClientName) : null; // A key of the table.
}
