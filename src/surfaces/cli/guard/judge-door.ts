import { chmod, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { guardFolder } from "../../../config/layers/state-folder.ts";
import { isAlive } from "../../../system/process/is-alive.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { SETTING_VARIABLES } from "../../guard/hook-line.ts";
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
  const server = createServer((request, response) => {
    answer(env(), request, ports).then(
      (sealed) => (sealed === null ? response.writeHead(REFUSED_TO_SAY).end() : send(response, sealed)),
      (error: unknown) => {
        log.failed("a hook of a client could not be answered", error);
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, MOST_WAITING, resolve));
  await chmod(path, 0o600);
  return {
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** The one who asks decides by itself. */
const REFUSED_TO_SAY = 409;

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

/** Null where other settings count for the one who asks than here. */
async function answer(env: HookPlace["env"], request: IncomingMessage, ports: HookAnswering): Promise<string | null> {
  const client = clientOf(request.url ?? "");
  const said = client === null ? null : await readForm(request);
  if (client === null || said === null) return null;
  if (SETTING_VARIABLES.some((name) => (said.get(name) ?? "") !== (env[name] ?? ""))) return null;
  const [cwd, event] = [said.get("folder") ?? "", said.get("event")];
  if (event === null || cwd === "") return null;
  const there = { cwd, env: { ...env, PATH: said.get("PATH") ?? "" } };
  return sealAnswer(await answerHook(there, { client, event }, ports));
}

function clientOf(path: string): HookClientName | null {
  const [, name = ""] = /^\/hook\/([a-z-]+)$/.exec(path) ?? [];
  return Object.hasOwn(HOOK_CLIENTS, name) ? (name as HookClientName) : null; // A key of the table.
}

/** Null where it is too large or ends early. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return null;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}

function send(response: ServerResponse, text: string): void {
  const length = Buffer.byteLength(text);
  response.writeHead(200, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": length,
    connection: "close",
  });
  response.end(text);
}
