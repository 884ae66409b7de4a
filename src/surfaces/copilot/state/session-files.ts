import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import { type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";
import type { RuntimeState } from "./runtime-state.ts";

/** All events of a session, one in a line. */
export const EVENTS_FILE = "events.jsonl";

/** Whose files they are. */
export interface FileOwner {
  readonly id: string;
  readonly server: RuntimeState;
}

/** The files of one session: its plan, notes, long results. On this machine, or where the client stores them. */
export interface StateFiles {
  /** Where they are, for people and models. */
  readonly folder: string;
  path(...parts: readonly string[]): string;
  /** Null where there is no such file. */
  read(path: string): Promise<string | null>;
  write(path: string, text: string): Promise<void>;
  append(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** All files below, by their path from there. */
  list(path: string): Promise<readonly string[]>;
}

export function filesOf(owner: FileOwner): StateFiles {
  return owner.server.files === null ? onDisk(sessionStateFolder(owner)) : atClient(owner);
}

/** Clients choose ids: whatever an id is, its folder is one below that of all sessions. */
export function sessionStateFolder({ server, id }: FileOwner): string {
  const name = encodeURIComponent(id).replace(/^\.+/, (dots) => "%2E".repeat(dots.length));
  return join(server.home, "session-state", name === "" ? "%" : name);
}

/** Where skills of clients are, for as long as the session is open. */
export function providedFolder(owner: FileOwner): string {
  return join(sessionStateFolder(owner), "provided-skills");
}

function onDisk(folder: string): StateFiles {
  const place = async (path: string): Promise<void> => void (await mkdir(dirname(path), { recursive: true }));
  return {
    folder,
    path: (...parts) => join(folder, ...parts),
    read: (path) => readFile(path, "utf8").catch(() => null),
    async write(path, text) {
      await place(path);
      await writeFile(path, text, { mode: 0o600 });
    },
    async append(path, text) {
      await place(path);
      await appendFile(path, text, { mode: 0o600 });
    },
    remove: (path) => rm(path, { force: true }),
    async list(path) {
      if ((await stat(path).catch(() => null)) === null) return [];
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)));
    },
  };
}

/** Asks the client that stores the files; what failed there is part of the answer. */
export async function askKeeper(
  { id, server: { files } }: FileOwner,
  operation: string,
  params: object,
  signal?: AbortSignal,
): Promise<Json> {
  if (files === null) throw new Error("the client that keeps the files of the session is gone");
  return recordOf(await files.connection.request(`sessionFs.${operation}`, { sessionId: id, ...params }, signal));
}

/** Milliseconds that a client may take over one of its files. */
const KEEPER_PATIENCE = 60_000;

/** The client's own file system for sessions; its errors come as part of its answers. */
function atClient(owner: FileOwner): StateFiles {
  const folder = textOf(owner.server.files?.setting.sessionStatePath) ?? "/session-state";
  const ask = async (operation: string, params: Json): Promise<Json> => {
    const { around, over } = owner.server;
    const answer = await withTimeout(around.clock, KEEPER_PATIENCE, over, (signal) =>
      askKeeper(owner, operation, params, signal),
    );
    const { code, message } = recordOf(answer.error);
    if (code !== undefined) throw new Error(`${String(code)}: ${String(message)}`);
    return answer;
  };
  const place = (path: string) => ask("mkdir", { path: posix.dirname(path), recursive: true });
  const walk = async (path: string, prefix: string): Promise<readonly string[]> => {
    const { entries } = await ask("readdirWithTypes", { path }).catch((): Json => ({ entries: [] }));
    const found = recordsOf(entries).map(({ name, type }) =>
      type === "directory"
        ? walk(posix.join(path, String(name)), `${prefix}${String(name)}/`)
        : [`${prefix}${String(name)}`],
    );
    return (await Promise.all(found)).flat();
  };
  return {
    folder,
    path: (...parts) => posix.join(folder, ...parts),
    read: async (path) => textOf((await ask("readFile", { path }).catch((): Json => ({}))).content) ?? null,
    async write(path, content) {
      await place(path);
      await ask("writeFile", { path, content });
    },
    async append(path, content) {
      await place(path);
      await ask("appendFile", { path, content });
    },
    remove: async (path) => void (await ask("rm", { path, force: true }).catch(() => {})),
    list: (path) => walk(path, ""),
  };
}
