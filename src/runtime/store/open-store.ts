import { join, resolve } from "node:path";
import { stateFolder, workspaceKey } from "../../config/layers/state-folder.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { BackEnd } from "./back-end.ts";
import { createStore, type StoreOptions } from "./create-store.ts";
import type { SqliteOptions } from "./sqlite/open-sqlite.ts";
import type { Store } from "./store.ts";

export interface StorePlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The workspace that the sessions belong to; without one, the folder in which the program runs. */
  readonly workspace: string;
}

/**
 * Opens the store at `memory:`, `sqlite:` (the person's own file for this workspace), `sqlite:PATH` or `postgres://…`.
 * The code of the back end is loaded only here.
 */
export async function openStoreAt(
  url: string,
  places: StorePlaces,
  options: StoreOptions & SqliteOptions = {},
): Promise<Store> {
  const notices: Notice[] = [];
  const onNotice = (notice: Notice): void => {
    notices.push(notice);
    options.onNotice?.(notice);
  };
  return { ...createStore(await openBackEnd(url, places, { ...options, onNotice }), options), notices };
}

async function openBackEnd(url: string, places: StorePlaces, options: SqliteOptions): Promise<BackEnd> {
  const [scheme = "", rest = ""] = splitOnce(url);
  switch (scheme) {
    case "memory":
      return (await import("./memory-back-end.ts")).createMemoryBackEnd();
    case "sqlite": {
      const path = rest === "" ? sqlitePath(places) : resolve(places.workspace, rest);
      return (await import("./sqlite/open-sqlite.ts")).openSqlite(path, options);
    }
    case "postgres":
    case "postgresql":
      return (await import("./postgres/open-postgres.ts")).openPostgres(url);
    default: {
      // Never the whole URL: it may contain a password.
      const text = `a store is sqlite:, sqlite:PATH, postgres://… or memory:, and not ${JSON.stringify(scheme.slice(0, 20))}`;
      throw new ToolcribError("store.refused", text);
    }
  }
}

/**
 * In the person's state folder, never in the repository: a database that a repository brings along has no effect (S6).
 */
export function sqlitePath(places: StorePlaces): string {
  return join(stateFolder(places), "sessions", workspaceKey(places.workspace), "sessions.db");
}

function splitOnce(url: string): readonly [string, string] {
  const at = url.indexOf(":");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
