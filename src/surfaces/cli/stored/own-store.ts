import { existsSync } from "node:fs";
import type { Config } from "../../../config/config.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { OWN_STORE } from "../../../config/shape/store-shape.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { type JournalPlace, reachStore } from "../../../runtime/session/stored/session-journal.ts";
import { sqlitePath } from "../../../runtime/store/open-store.ts";
import type { Store, StoredSession } from "../../../runtime/store/store.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";

/** Where the sessions of this workspace are kept. */
export interface WorkspaceStore extends JournalPlace {
  readonly setting: Config["store"];
  readonly config: Config;
}

export async function findWorkspaceStore(input: CommandInput): Promise<WorkspaceStore> {
  const [workspace, config] = await Promise.all([findWorkspace(input), loadConfig(toConfigInput(input))]);
  return toWorkspaceStore(input, { workspace, config });
}

export function toWorkspaceStore(
  { io, log }: Pick<CommandInput, "io" | "log">,
  { workspace, config }: Pick<WorkspaceStore, "workspace" | "config">,
): WorkspaceStore {
  const surroundings = { ...ownSurroundings(), env: io.env, cwd: io.cwd };
  const onNotice: WorkspaceStore["onNotice"] = (notice) => log.notices([notice]);
  return { home: settingPlaces(io).home, workspace, surroundings, onNotice, setting: config.store, config };
}

export async function withOwnStore<T>(
  input: CommandInput,
  work: (store: Store, kept: WorkspaceStore) => Promise<T>,
): Promise<T> {
  const kept = await findWorkspaceStore(input);
  const { store, close } = await openWorkspaceStore(kept);
  try {
    return await work(ofWorkspace(store, kept), kept);
  } finally {
    await close();
  }
}

export function openWorkspaceStore(kept: WorkspaceStore): ReturnType<typeof reachStore> {
  return reachStore(kept.setting.url.value, kept);
}

/** Whether there is anything to look into: the person's own file is created with the first session. */
export function hasStore({ setting, home, workspace, surroundings: { env } }: WorkspaceStore): boolean {
  return setting.url.value !== OWN_STORE || existsSync(sqlitePath({ home, env, workspace }));
}

/** A store that several workspaces share lists the sessions of this one. */
function ofWorkspace(store: Store, kept: WorkspaceStore): Store {
  return { ...store, sessions: (filter) => store.sessions({ ...scopeOf(kept), ...filter }) };
}

/** Which sessions of the store are this workspace's: in its own file, all. */
export function scopeOf({ setting, workspace }: WorkspaceStore): { readonly project?: string } {
  return setting.url.value === OWN_STORE ? {} : { project: workspace };
}

/** The session of that id, or whose id alone begins so; null: the one that changed last. */
export async function findStored(store: Store, named: string | null): Promise<StoredSession> {
  const [exact] = await store.sessions(named === null ? { limit: 1 } : { id: named });
  if (exact !== undefined) return exact;
  const fitting = named === null || named === "" ? [] : await store.sessions({ idPrefix: named, limit: MOST_NAMED });
  const [found, another] = fitting;
  if (found !== undefined && another === undefined) return found;
  throw new ToolcribError("store.unknown-session", describeMiss(named, fitting.length), {
    names: fitting.map(({ id }) => id),
  });
}

/** Sessions whose ids begin alike that a message tells apart. */
const MOST_NAMED = 20;

function describeMiss(named: string | null, fitting: number): string {
  if (named === null) return 'no session of this workspace is kept; "toolcrib run --keep" keeps one';
  const count = fitting === MOST_NAMED ? `${fitting} or more` : String(fitting);
  if (fitting > 1) return `${count} sessions begin with ${JSON.stringify(named)}; write more of the id`;
  return `no session of this workspace has the id ${JSON.stringify(named)}`;
}
