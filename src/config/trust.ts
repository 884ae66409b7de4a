import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { formatOrigin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { oneAtATime } from "./edit/one-at-a-time.ts";
import { writeWhole } from "./edit/write-file.ts";
import { type Places, userFolder } from "./find-files.ts";
import { fileReaders, type Readers } from "./readers.ts";
import { describeItem, type TrustItem } from "./trust-items.ts";

/** `nothing`: the project asks for nothing that needs trust. `changed`: it asks for more than was trusted. */
type TrustState = "nothing" | "trusted" | "changed" | "untrusted";

/** Real path of each trusted workspace, with the hashes of what was trusted there. */
type TrustStore = ReadonlyMap<string, ReadonlySet<string>>;

export interface Trust {
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly state: TrustState;
  /** What trust enables or would enable. */
  readonly items: readonly TrustItem[];
}

type Home = Pick<Places, "home" | "env">;

/** The list of trusted workspaces. One that cannot be read trusts nothing. */
export async function loadTrust(places: Home, readers: Readers): Promise<TrustStore> {
  const text = await readers.readText(storePath(places)).catch(() => null);
  const store = new Map<string, ReadonlySet<string>>();
  const workspaces = memberOf(parseJson(text ?? ""), "workspaces");
  for (const [path, entry] of Object.entries(workspaces ?? {})) {
    const trusted = memberOf(entry, "trusted");
    if (Array.isArray(trusted)) store.set(path, new Set(trusted.filter((hash) => typeof hash === "string")));
  }
  return store;
}

/** Adds a workspace to the list, or what it is trusted with now in place of what it was. */
export async function keepTrust({ workspace, items }: Trust, places: Home): Promise<void> {
  const path = storePath(places);
  // A folder that cannot be made is told as the file that cannot be written into it.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await oneAtATime(path, async () => {
    const store = new Map(await loadTrust(places, fileReaders));
    await saveTrust(store.set(workspace, new Set(items.map(({ hash }) => hash))), path);
  });
}

async function saveTrust(store: TrustStore, path: string): Promise<void> {
  const workspaces = Object.fromEntries(
    [...store].map(([folder, hashes]) => [folder, { trusted: [...hashes].sort() }]),
  );
  await writeWhole(path, `${JSON.stringify({ version: 1, workspaces }, null, 2)}\n`, 0o600);
}

export function judgeTrust(workspace: string, items: readonly TrustItem[], store: TrustStore): Trust {
  const trusted = store.get(workspace);
  const known = items.every(({ hash }) => trusted?.has(hash));
  const state = items.length === 0 ? "nothing" : trusted === undefined ? "untrusted" : known ? "trusted" : "changed";
  return { workspace, state, items };
}

export function trustNotices({ state, items }: Trust): readonly Notice[] {
  const [first] = items;
  if (first === undefined || state === "trusted") return [];
  const listed = items.map((item) => `${describeItem(item)} (${formatOrigin(item.origin)})`).join(", ");
  const why =
    state === "changed"
      ? "the project's configuration asks for more than was trusted"
      : "the project's configuration asks for what counts only in a trusted workspace";
  return [
    {
      level: "warning",
      code: "config.untrusted",
      text: `${why}; left out: ${listed}. Run "toolcrib trust" to review and allow it`,
      names: items.map(({ name }) => name),
      origin: first.origin,
    },
  ];
}

function storePath(places: Home): string {
  return join(userFolder(places), "trusted.json");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function memberOf(value: unknown, key: string): object | null {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null;
  const member: unknown = Reflect.get(value, key);
  return typeof member === "object" ? member : null;
}
