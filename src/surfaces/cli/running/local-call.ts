import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { RunningNote } from "./running-note.ts";
import { findFolderProblem } from "./socket-folder.ts";

/** What the first line on a socket says. Rises when an older Toolcrib would misread it. */
export const LOCAL_PROTOCOL = 1;

/** What may be asked of a running Toolcrib. */
export type LocalRequest =
  | {
      readonly ask: "mcp";
      readonly profile: string | null;
      readonly agent: string | null;
      readonly include: readonly string[] | null;
      readonly exclude: readonly string[];
      readonly environment: Environment;
    }
  | { readonly ask: "status" | "keep" | "end" }
  | { readonly ask: "run"; readonly argv: readonly string[]; readonly terminal: Terminal };

/** Whose environment servers are started in: what differs there makes the same command another program. */
export interface Environment {
  readonly user: string;
  readonly node: string;
  readonly path: string;
  /** Where the managed policy lies that the environment names. */
  readonly policy: string;
}

/** What answers are laid out for. */
export interface Terminal {
  readonly cwd: string;
  readonly columns: number | null;
  readonly isTTY: boolean;
  readonly errIsTTY: boolean;
  readonly canAsk: boolean;
  /** Variables about output alone. */
  readonly env: Readonly<Record<string, string>>;
}

/** An open connection behind its first answer. */
export interface LocalCall<T> {
  readonly socket: Socket;
  readonly answer: T;
}

/** Null: the one that the note is about does not listen there. Throws when it does and cannot be asked this. */
export async function callLocal<T>(
  { socket: path, secret, pid }: Pick<RunningNote, "socket" | "secret" | "pid">,
  request: LocalRequest,
  patience = PATIENCE,
): Promise<LocalCall<T> | null> {
  const problem = await findFolderProblem(dirname(path));
  if (problem !== null && problem !== "cannot be made")
    throw new ToolcribError("up.no-socket", `${dirname(path)} ${problem}, so nothing in it is spoken to`);
  const socket = await open(path);
  if (socket === null) return null;
  socket.write(`${JSON.stringify({ toolcrib: LOCAL_PROTOCOL, secret, ...request })}\n`);
  const line = await readLine(socket, patience);
  if (line === null) {
    // A process that is killed closes its sockets one by one: a connection in between is accepted by nobody.
    if (socket.destroyed) return null;
    socket.destroy();
    throw new ToolcribError(
      "up.silent",
      `the running Toolcrib (process ${pid}) does not answer; "toolcrib down" ends it`,
    );
  }
  const answer = JSON.parse(line) as T & Refusal; // Its own note led here.
  if (answer.error === undefined && answer.isUnknown !== true) return { socket, answer };
  socket.destroy();
  // The note was left behind by one that was killed; its successor listens already and has not written its own yet.
  if (answer.error === undefined) return null;
  throw new ToolcribError("up.refused", answer.error.text);
}

interface Refusal {
  /** The caller did not know the secret. */
  readonly isUnknown?: boolean;
  readonly error?: { readonly code: string; readonly text: string };
}

const PATIENCE = 10_000;

function open(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => resolve(null));
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

const MOST_LINE = 32 * 1024 * 1024;

/** The first line; what came behind it is there to be read. Null when none comes in time. */
export function readLine(socket: Socket, patience: number): Promise<string | null> {
  return new Promise((resolve) => {
    let parts: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => finish(null), patience);
    const finish = (line: string | null): void => {
      clearTimeout(timer);
      socket.off("data", take);
      socket.off("close", gone);
      parts = [];
      resolve(line);
    };
    const gone = (): void => finish(null);
    const take = (chunk: Buffer): void => {
      const end = chunk.indexOf(10);
      bytes += chunk.length;
      if (end === -1) {
        parts.push(chunk);
        if (bytes > MOST_LINE) finish(null);
        return;
      }
      socket.pause();
      const line = Buffer.concat([...parts, chunk.subarray(0, end)]).toString("utf8");
      const rest = chunk.subarray(end + 1);
      if (rest.length > 0) socket.unshift(rest);
      finish(line);
    };
    socket.on("data", take);
    socket.once("close", gone);
  });
}
