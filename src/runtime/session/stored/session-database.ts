import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { SessionSql, SqlOutcome } from "../../../sources/host.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import type { Clock } from "../../../system/time/clock.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import { type QueryWork, queryProgram } from "../../store/sqlite/query-program.ts";
import { TODO_TABLES } from "./todo-tables.ts";

export interface DatabasePorts {
  /** The file as it was when the session was resumed, in base64; null where there is none yet. */
  readonly earlier: string | null;
  /** The file is this from now on. */
  readonly changed: (image: string) => void;
  readonly clock: Clock;
}

/** Milliseconds that a query may take. */
const PATIENCE = 5_000;
/** Pages of 512 bytes: half a megabyte. */
const LIMITS = { pages: 1024, heap: 64 * 1024 * 1024, memory: 256 * 1024 * 1024, rows: 200, characters: 30_000 };

const SCHEMA = TODO_TABLES.map((table) => `${table};`).join("\n");

/**
 * The private database of a session. It lives in the session's journal, so that it goes, is copied and is resumed with it;
 * each query works on a copy in a process and a folder of its own, and what it changed counts once it has ended well.
 */
export function createSessionDatabase({ earlier, changed, clock }: DatabasePorts): SessionSql {
  let image = earlier === null ? Buffer.alloc(0) : Buffer.from(earlier, "base64");
  let last: Promise<unknown> = Promise.resolve();
  const runOne = async (
    statements: readonly string[],
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<SessionSql>>> => {
    signal.throwIfAborted();
    const folder = await mkdtemp(join(tmpdir(), "toolcrib-sql-"));
    try {
      const file = join(folder, "session.db");
      await writeFile(file, image, { mode: 0o600 });
      const engines = [createRequire(import.meta.url).resolve.paths("libsql")?.[0] ?? import.meta.url];
      const work: QueryWork = {
        file,
        engines: [import.meta.url, ...engines],
        schema: SCHEMA,
        statements,
        limits: LIMITS,
      };
      const answer = await withTimeout(clock, PATIENCE, signal, (both) => query(work, folder, both));
      if (answer === null) {
        signal.throwIfAborted();
        return { failed: `it took longer than ${PATIENCE / 1000} seconds and was stopped` };
      }
      if ("failed" in answer) return answer;
      const now = await readFile(file);
      if (!now.equals(image)) {
        image = now;
        changed(image.toString("base64"));
      }
      return answer;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return (statements, signal) => {
    const run = last.then(() => runOne(statements, signal));
    last = run.catch(() => {});
    return run;
  };
}

/** Null where it was stopped. */
async function query(
  work: QueryWork,
  cwd: string,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<SessionSql>> | null> {
  const pieces: Buffer[] = [];
  const child = await spawnProcess({
    argv: [process.execPath, "--max-old-space-size=64", "-e", `(${queryProgram.toString()})()`],
    cwd,
    env: {},
    stdin: "pipe",
    onStdout: (piece) => void pieces.push(piece),
    onStderr: () => {},
    grace: 0,
    signal,
  });
  await child.write(JSON.stringify(work));
  child.end();
  await child.exited;
  if (signal.aborted) return null;
  return readAnswer(Buffer.concat(pieces).toString("utf8"));
}

function readAnswer(text: string): Awaited<ReturnType<SessionSql>> {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRecord(answer) && typeof answer.failed === "string") return { failed: answer.failed };
    if (isRecord(answer) && Array.isArray(answer.outcomes)) return { outcomes: answer.outcomes as SqlOutcome[] }; // Our own program wrote it.
  } catch {
    // Said below.
  }
  return { failed: "it needed too much memory, or the engine broke" };
}
