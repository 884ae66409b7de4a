import type { Socket } from "node:net";
import { readVersion } from "../../../system/version.ts";
import type { Io } from "../terminal/io.ts";
import { createLines, NO_MORE, type Reply } from "./answer-command.ts";
import { keyOfHere, reach } from "./find-running.ts";
import { readRunningNote } from "./running-note.ts";

/** Variables that say how an answer is laid out; all others count as they were where the running one was started. */
const OUTPUT = ["NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM", "TOOLCRIB_LOG"] as const;

/** What is printed on the way: for the person, and for debugging. */
export interface Voice {
  readonly say: (text: string) => void;
  readonly debug: (text: string) => void;
}

/**
 * Has the Toolcrib that runs for this workspace answer a command line; resolves to its exit status. Null where none runs
 * or can be asked: then the command has to find out by itself.
 */
export async function askRunning(argv: readonly string[], io: Io, { say, debug }: Voice): Promise<number | null> {
  const { places, key } = await keyOfHere({ io });
  const note = await readRunningNote(places, key);
  if (note === null) return null;
  const version = readVersion();
  if (note.version !== version) {
    say(
      `The Toolcrib that runs here (process ${note.pid}) is version ${note.version} and this is ${version}, so servers are started for this answer; "toolcrib down" ends it.\n`,
    );
    return null;
  }
  const env = Object.fromEntries(OUTPUT.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]]])));
  const { cwd, columns, isTTY, errIsTTY, canAsk } = io;
  const terminal = { cwd, columns, isTTY, errIsTTY, canAsk, env: env as Readonly<Record<string, string>> }; // What is not set was left out.
  const called = await reach(places, key, { ask: "run", argv, terminal }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    say(`${why}; servers are started for this answer.\n`);
    return null;
  });
  if (called === null) return null;
  debug(`the Toolcrib that runs here (process ${note.pid}) answers`);
  return relay(called.socket, io, isRestart(argv));
}

/** The one command by which a person agrees that variables of this shell go to the running Toolcrib. */
function isRestart(argv: readonly string[]): boolean {
  const [command, action] = argv.filter((word) => !word.startsWith("-"));
  return command === "servers" && action === "restart";
}

/** Passes on what the other process says and asks, until it is done. Variables are given only if `gives`. */
async function relay(socket: Socket, io: Io, gives: boolean): Promise<number> {
  const release = io.onInterrupt(async () => void socket.destroy());
  const pass = (line: string): void => void (socket.writable && socket.write(`${line}\n`));
  let stopListening = (): void => {};
  try {
    const lines = createLines(socket);
    for (;;) {
      const line = await lines.next();
      if (line === null) throw new Error("the running Toolcrib ended before it had answered");
      const reply = JSON.parse(line) as Reply; // From a process of the same version.
      if ("status" in reply) return reply.status;
      if ("out" in reply) io.out(reply.out);
      else if ("err" in reply) io.err(reply.err);
      else if ("want" in reply) pass(JSON.stringify(gives ? setHere(reply.want, io) : {}));
      else if ("read" in reply) pass(JSON.stringify(await io.readInput(reply.read)));
      else {
        stopListening();
        stopListening = reply.listen
          ? io.onLine(
              (typed) => pass(JSON.stringify(typed)),
              () => pass(NO_MORE),
            )
          : () => {};
      }
    }
  } finally {
    stopListening();
    release();
    socket.destroy();
  }
}

function setHere(names: readonly string[], { env }: Io): Readonly<Record<string, string>> {
  const given = names.flatMap((name): [string, string][] => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}
