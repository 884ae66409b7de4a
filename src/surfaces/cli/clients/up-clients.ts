import { join } from "node:path";
import { editorOf } from "../../../config/edit/edit-client-file.ts";
import { serversIn, withServer } from "../../../config/edit/edit-servers.ts";
import type { ForeignPlaces } from "../../../config/import/find-foreign.ts";
import { importForeign } from "../../../config/import/import-foreign.ts";
import { findKeysTarget, planKeys } from "../../../config/import/plan-keys.ts";
import { readForeign } from "../../../config/import/read-foreign.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { checkText, findEditTarget, readOptionalFile } from "../configuration/edit-target.ts";
import type { WrittenKeys } from "../configuration/keys-text.ts";
import { hasOwnFile } from "../configuration/load-asked.ts";
import { applyChanges, type Merge, type WrittenFile } from "../configuration/written-files.ts";
import { keyOfHere } from "../running/find-running.ts";
import { type ConnectCommand, clientFile, ENTRY, findConnectCommand, type McpClient, toEntry } from "./client-entry.ts";

interface WrittenClient {
  readonly client: McpClient;
  /** As the user would write it. */
  readonly file: string;
  readonly changed: boolean;
  /** The client has no file of a project, so every project finds the entry. */
  readonly isAtHome: boolean;
  /** Servers of the project that the client still starts by itself. */
  readonly others: readonly string[];
  /** The same in the person's own file of that client, which nothing here changes. */
  readonly atHome: { readonly file: string; readonly names: readonly string[] } | null;
  /** Servers that went into our configuration. */
  readonly moved: readonly string[];
}

export interface Written {
  readonly clients: readonly WrittenClient[];
  readonly isPortable: boolean;
  /** Our file, where servers went into it. */
  readonly target: string | null;
  /** Where the secrets of moved servers went; null where they have none. */
  readonly keys: WrittenKeys | null;
  /** Variables that moved servers need, and that are not set here. */
  readonly unset: readonly string[];
  /** The servers of our own configuration, also those that wait for trust. Null: there is none, so those at home count. */
  readonly own: readonly string[] | null;
}

/**
 * Puts `toolcrib connect` into clients' files of this workspace, and with `move` their servers into ours; everything else
 * in them stays as it is. All of it is worked out first, and written whole or not at all.
 */
export async function writeClients(
  input: CommandInput,
  clients: readonly McpClient[],
  workspace: string,
): Promise<Written> {
  const { io, args } = input;
  const connect = findConnectCommand(io.env.PATH ?? "", workspace);
  const { home, env } = toConfigInput(input);
  const places = { cwd: workspace, home, env, platform: process.platform };
  const { moving, plans } = await applyChanges(await connectRecord(input), async () => {
    const asked: Plan[] = [];
    for (const client of new Set(clients)) asked.push(await planClient(client, connect, places));
    const moving = args.has("move") ? await planMove(input, asked, connect, workspace) : null;
    const plans = moving?.plans ?? asked;
    return { moving, plans, changes: [...(moving?.changes ?? []), ...plans.flatMap(toChange)] };
  });
  const { servers } = await importForeign(places, fileReaders, "user");
  const atHome = (client: McpClient): WrittenClient["atHome"] => {
    const { home: file } = clientFile(client, places);
    const names = servers.filter(({ origin }) => origin.kind === "file" && origin.file === file);
    return names.length === 0 ? null : { file, names: names.map(({ name }) => name) };
  };
  return {
    clients: plans.map(({ client, file, isAtHome, before, after, others, moved }) => ({
      ...{ client, file, isAtHome, others, moved, changed: before !== after, atHome: atHome(client) },
    })),
    isPortable: connect.isPortable,
    target: moving === null || moving.changes.length === 0 ? null : moving.file,
    keys: moving?.keys ?? null,
    unset: moving?.unset ?? [],
    own: await findOwn(input),
  };
}

/** Where what `--write` changed is kept for `--undo`. */
export async function connectRecord(input: CommandInput): Promise<string> {
  const { places, key } = await keyOfHere(input);
  return join(stateFolder(places), "written", `${key}.json`);
}

/** As it is now that the files are written. */
async function findOwn(input: CommandInput): Promise<Written["own"]> {
  const given = toConfigInput(input);
  const config = await loadConfig(given);
  const waiting = config.trust.items.flatMap(({ what, name }) => (what === "server" ? [name] : []));
  return hasOwnFile(config, given) ? [...config.servers.keys(), ...waiting] : null;
}

interface Plan extends Pick<WrittenClient, "client" | "file" | "isAtHome" | "others" | "moved"> {
  readonly path: string;
  /** The key of its servers. */
  readonly key: string;
  readonly before: string | null;
  readonly after: string;
}

function toChange({ path, before, after }: Plan): readonly WrittenFile[] {
  return before === after ? [] : [{ path, before, after }];
}

async function planClient(client: McpClient, connect: ConnectCommand, places: ForeignPlaces): Promise<Plan> {
  const { path, file, key, side } = clientFile(client, places);
  const { withEntry, blank } = editorOf(path);
  const before = await readOptionalFile(path);
  const text = before ?? "";
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const bare = text.slice(mark.length);
  const entry = toEntry(client, connect);
  const known = await readServers(bare, path, key);
  const isThere = JSON.stringify(known[ENTRY]) === JSON.stringify(entry);
  const after = await withEntry(bare.trim() === "" ? blank : bare, key, ENTRY, entry);
  if (after === null) throw await refused(file, bare, key, { [ENTRY]: entry });
  const isAtHome = side === "user";
  // Those of the home folder are reported beside it.
  const others = isAtHome ? [] : Object.keys(known).filter((name) => name !== ENTRY);
  return { client, path, file, key, isAtHome, before, after: isThere ? text : mark + after, others, moved: [] };
}

/** The servers of these files as entries of ours; what cannot be taken over stays where it is. */
async function planMove(input: CommandInput, plans: readonly Plan[], connect: ConnectCommand, workspace: string) {
  const { home, env } = toConfigInput(input);
  const target = await findEditTarget(input, true);
  const keys = await findKeysTarget(target, { cwd: workspace, home, env }, fileReaders);
  const places = { cwd: workspace, home, env, platform: process.platform };
  const imported = await importForeign(places, fileReaders, "project", keys);
  const known = target.text === null ? [] : await serversIn(target.text, target.file);
  const wanted = new Set(plans.flatMap(({ others }) => others));
  const servers = imported.servers.filter(({ name }) => name !== ENTRY && wanted.has(name));
  const added = servers.filter(({ name }) => !known.includes(name));
  let text = target.text ?? "";
  for (const { name, entry } of added) text = await withServer(text, target.file, name, entry);
  await checkText(text, target.file);
  const taken = new Set(servers.map(({ name }) => name));
  const cleared: Plan[] = [];
  for (const plan of plans) {
    let after = plan.after;
    const moved = plan.others.filter((name) => taken.has(name));
    for (const name of moved) {
      const next = await editorOf(plan.path).withoutEntry(after, plan.key, name);
      if (next === null) throw await refused(plan.file, after, plan.key, { [ENTRY]: toEntry(plan.client, connect) });
      after = next;
    }
    cleared.push({ ...plan, after, moved, others: plan.others.filter((name) => !taken.has(name)) });
  }
  const { after, names } = planKeys(imported, added, keys);
  const used = JSON.stringify(added.map(({ entry }) => entry));
  const isSet = (name: string): boolean => env[name] !== undefined || keys.keys.has(name) || names.includes(name);
  return {
    plans: cleared,
    file: target.file,
    changes: [
      ...(after === null ? [] : [{ path: keys.path, before: keys.before, after, mode: 0o600 }]),
      ...(text === (target.text ?? "") ? [] : [{ path: target.path, before: target.text, after: text }]),
    ],
    keys: after === null ? null : { file: keys.file, names },
    unset: imported.variables.map(({ name }) => name).filter((name) => !isSet(name) && used.includes(`\${${name}}`)),
  };
}

/** A client's file as it is now, without our entry and with the servers that were moved out of it. Null where that is not possible. */
export async function withoutWritten(now: string, { path, before, after }: WrittenFile): ReturnType<Merge> {
  const { withEntry, withoutEntry } = editorOf(path);
  const key = await findKey(after, path);
  if (key === undefined) return null;
  const mark = now.startsWith("\ufeff") ? "\ufeff" : "";
  let text: string | null = now.slice(mark.length);
  const first = await readServers((before ?? "").replace(/^\ufeff/, ""), path, key);
  for (const [name, entry] of Object.entries(first))
    if (
      text !== null &&
      isRecord(entry) &&
      (name === ENTRY || !Object.hasOwn(await readServers(text, path, key), name))
    )
      text = await withEntry(text, key, name, entry);
  if (text !== null && !Object.hasOwn(first, ENTRY) && Object.hasOwn(await readServers(text, path, key), ENTRY))
    text = await withoutEntry(text, key, ENTRY);
  return text === null ? null : { text: mark + text };
}

/** The key under which our entry stands. */
async function findKey(text: string, path: string): Promise<string | undefined> {
  const root = (await editorOf(path).read(text.replace(/^\ufeff/, ""))) ?? {};
  return Object.keys(root).find((key) => isRecord(root[key]) && Object.hasOwn(root[key], ENTRY));
}

async function readServers(text: string, path: string, key: string): Promise<Readonly<Record<string, unknown>>> {
  const servers = (await editorOf(path).read(text))?.[key];
  return isRecord(servers) ? servers : {};
}

async function refused(file: string, text: string, key: string, entry: object): Promise<ToolcribError> {
  const form = file.endsWith(".toml") ? `TOML with tables under "${key}"` : `JSON with a map "${key}"`;
  const why = await readForeign(text, file).then(
    () => `${file} cannot be changed, because it is no ${form}`,
    (error: unknown) => (error instanceof ToolcribError ? error.message : String(error)),
  );
  const advice = `nothing was written. Mend it, or put this under "${key}" yourself: ${JSON.stringify(entry)}`;
  return new ToolcribError("config.syntax", `${why}; ${advice}`, { names: [file] });
}
