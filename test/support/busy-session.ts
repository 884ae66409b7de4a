import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../fixtures/store/busy-session.mjs", import.meta.url));

/** A process that works in one stored session until it is killed. */
export interface BusySession {
  readonly child: ChildProcess;
  /** Events that it was told are stored, by number. */
  readonly acknowledged: Map<number, string>;
  /** Everything else that it said. */
  readonly said: string[];
  /** Resolves once it has said a line that begins so. */
  heard(start: string): Promise<void>;
  readonly ended: Promise<void>;
}

export function startBusySession(...argv: readonly string[]): BusySession {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  const acknowledged = new Map<number, string>();
  const said: string[] = [];
  const waiting = new Set<() => void>();
  const hear = (line: string): void => {
    const [word, seq, id] = line.split(" ");
    if (word === "ack" && seq && id) acknowledged.set(Number(seq), id);
    else said.push(line);
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on("line", hear);
  createInterface({ input: child.stderr }).on("line", hear);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    child,
    acknowledged,
    said,
    ended,
    heard: (start) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!said.some((line) => line.startsWith(start))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without ${JSON.stringify(start)}: ${said.join("\n")}`)));
      }),
  };
}
