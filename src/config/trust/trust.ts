import { mkdir } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import { fileReaders } from "../layers/readers.ts";
import {
  describeItem,
  identityOf,
  PROGRAM_FILE,
  type TrustItem,
  type WrittenGuard,
  type WrittenItem,
} from "./trust-items.ts";
import {
  type Home,
  loadTrust,
  saveTrust,
  storePath,
  type TrustedGuard,
  type TrustedItem,
  type TrustRecord,
  type TrustStore,
} from "./trust-store.ts";

/** `nothing`: the project asks for nothing that needs trust. `changed`: something waits, or a guard is missing. */
type TrustState = "nothing" | "trusted" | "changed" | "untrusted";

export interface Trust {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Real path of the working folder: guards of other folders are not missed here. */
  readonly cwd: string;
  readonly state: TrustState;
  /** What trust enables or would enable, item by item. */
  readonly items: readonly TrustItem[];
  /** What was trusted and no longer exists. */
  readonly gone: readonly TrustedItem[];
  /** Guards that were trusted and are changed or gone: the calls they covered are denied until a person decides. */
  readonly lost: readonly LostGuard[];
  /** What can refuse calls now. */
  readonly guards: readonly WrittenGuard[];
}

export interface LostGuard extends TrustedGuard {
  /** The workspace in which it was trusted. */
  readonly trustedIn: string;
}

interface Written {
  readonly items: readonly (WrittenItem & Pick<TrustItem, "idle">)[];
  readonly guards: readonly WrittenGuard[];
}

type Place = Pick<Trust, "workspace" | "cwd">;

export function judgeTrust(place: Place, { items, guards }: Written, store: TrustStore): Trust {
  const { workspace } = place;
  const record = store.get(workspace);
  const hashes = new Set(record?.items.map(({ hash }) => hash));
  const known = new Set(record?.items.map(identityOf));
  const judged = items.map((item): TrustItem => {
    const standing = hashes.has(item.hash) ? "trusted" : known.has(identityOf(item)) ? "changed" : "new";
    return { ...item, standing };
  });
  const isThere = new Set(items.flatMap((item) => [item.hash, identityOf(item)]));
  const gone = (record?.items ?? []).filter(
    (item) => item.what !== "" && speaksFor(item, place) && !isThere.has(item.hash) && !isThere.has(identityOf(item)),
  );
  const lost = rememberedGuards(place, store).filter(
    (guard) => !guards.some((now) => now.counts && standsFor(now, guard)),
  );
  const used = judged.filter(({ idle }) => idle !== true);
  const isOpen = lost.length > 0 || used.some(({ standing }) => standing !== "trusted");
  const state =
    used.length === 0 && lost.length === 0
      ? "nothing"
      : record === undefined && used.length > 0
        ? "untrusted"
        : isOpen
          ? "changed"
          : "trusted";
  const kept = new Set(record?.guards.map(({ hash }) => hash));
  return {
    ...place,
    state,
    items: judged,
    gone,
    lost,
    guards: guards.map((one) => ({ ...one, kept: kept.has(one.hash) })),
  };
}

/** Guards of the project that are in force but not recorded: no person has looked at them yet. */
export function unkeptGuards({ guards }: Pick<Trust, "guards">): readonly WrittenGuard[] {
  return guards.filter(({ counts, kept, folder }) => counts && kept !== true && folder !== null);
}

/**
 * Guards apply in the folder they were trusted for and below, whichever folder is the workspace by now: removing a file
 * moves it up, adding one moves it down. Trusting the nearer workspace decided about this.
 */
function rememberedGuards({ workspace, cwd }: Place, store: TrustStore): readonly LostGuard[] {
  return [...store].flatMap(([folder, { guards }]) => {
    const isAbove = folder !== workspace && isWithin(folder, workspace);
    if (!isWithin(folder, cwd) || (isAbove && store.has(workspace))) return [];
    return guards
      .filter((guard) => speaksFor(guard, { workspace: folder, cwd }))
      .map((guard) => ({ ...guard, folder: guard.folder ?? folder, trustedIn: folder }));
  });
}

function speaksFor({ folder }: Pick<TrustedItem, "folder">, { workspace, cwd }: Place): boolean {
  return isWithin(folder ?? workspace, cwd);
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A rule is the same wherever it is written, and denying what was asked about is stricter; a hook must be identical. */
function standsFor(now: WrittenGuard, guard: TrustedGuard): boolean {
  if (now.covers.kind === "hook" || guard.covers.kind === "hook") return now.hash === guard.hash;
  return now.covers.rule === guard.covers.rule && (now.what === guard.what || now.what === "deny rule");
}

/** Whether to trust this item; all of them if absent. */
export type ChooseItem = (item: Pick<TrustedItem, "what" | "name" | "path"> & Pick<WrittenItem, "of">) => boolean;

/** Changes the list of trusted workspaces while nobody else does. */
export async function changeTrust(places: Home, change: (store: Map<string, TrustRecord>) => void): Promise<void> {
  const path = storePath(places);
  // A folder that cannot be created is reported as the file that cannot be written into it.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await oneAtATime(path, async () => {
    const store = new Map(await loadTrust(places, fileReaders));
    change(store);
    await saveTrust(store, places);
  });
}

/** Stores what is trusted now: everything that is written, or the chosen items in addition to those trusted before. */
export async function keepTrust(trust: Trust, places: Home, isChosen: ChooseItem = () => true): Promise<void> {
  await changeTrust(places, (store) => {
    for (const [folder, record] of store) {
      const isBelow = folder !== trust.workspace && isWithin(trust.workspace, folder);
      const released = isBelow ? trust.lost.filter((guard) => guard.trustedIn === folder && isChosen(guard)) : [];
      if (released.length === 0) continue;
      const guards = record.guards.filter(({ hash }) => !released.some((guard) => guard.hash === hash));
      // Dropping all guards of a file that no longer exists leaves nothing to trust in it.
      if (guards.length === 0) store.delete(folder);
      else store.set(folder, { ...record, guards });
    }
    store.set(trust.workspace, nextRecord(trust, store.get(trust.workspace), isChosen));
  });
}

/** Rewrites a record of an earlier version in today's form; what it grants stays the same. */
export async function takeOver(trust: Trust, store: TrustStore, places: Home): Promise<void> {
  if (store.get(trust.workspace)?.isOld !== true) return;
  // If it cannot be written, it is converted in memory only, each time.
  await keepTrust(trust, places, () => false).catch(() => undefined);
}

function nextRecord(trust: Trust, before: TrustRecord | undefined, isChosen: ChooseItem): TrustRecord {
  const chosen = trust.items.filter(isChosen);
  const replaced = new Set(chosen.map(identityOf));
  const hashes = new Set(before?.items.map(({ hash }) => hash));
  const present = trust.items.filter((item) => isChosen(item) || hashes.has(item.hash));
  const isKnown = new Set(present.map(({ hash }) => hash));
  const rest = (before?.items ?? []).filter(
    (item) =>
      !speaksFor(item, trust) || (!isKnown.has(item.hash) && !replaced.has(identityOf(item)) && !isChosen(item)),
  );
  const guards = trust.guards.filter(({ counts, hash, folder }) => folder !== null && (counts || isKnown.has(hash)));
  const elsewhere = (before?.guards ?? []).filter((guard) => !speaksFor(guard, trust));
  // A missing guard stays missed until a person drops it. Those of folders below keep their own record.
  const missed = trust.lost.filter(
    (guard) => isWithin(guard.trustedIn, trust.workspace) && !isChosen(guard) && !replaced.has(identityOf(guard)),
  );
  return {
    items: unique([...present.map((item) => toScoped(item, trust)), ...rest]),
    guards: unique([
      ...[...guards, ...missed].map((guard) => ({ ...toScoped(guard, trust), covers: guard.covers })),
      ...elsewhere,
    ]),
    isOld: false,
  };
}

/** An item applies to the workspace unless it says otherwise. */
function toScoped({ what, name, path, hash, folder }: TrustedItem | WrittenItem, { workspace }: Place): TrustedItem {
  const item = { what, name, path, hash };
  return folder === undefined || folder === null || folder === workspace ? item : { ...item, folder };
}

function unique<T extends TrustedItem>(items: readonly T[]): readonly T[] {
  const sorted = [...items].sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
  return [...new Map(sorted.map((item) => [`${item.hash} ${item.folder ?? ""}`, item])).values()];
}

/** What is written, would be used and does not count yet. */
export function waitingItems({ items }: Pick<Trust, "items">): readonly TrustItem[] {
  return items.filter(({ standing, idle }) => standing !== "trusted" && idle !== true);
}

export function trustNotices(trust: Trust): readonly Notice[] {
  const { state, lost } = trust;
  const waiting = waitingItems(trust).filter(({ what }) => what !== PROGRAM_FILE);
  const [first] = waiting;
  const ofGuards: Notice[] = lost.map((guard) => ({
    level: "warning",
    code: "config.untrusted",
    text: `${describeLost(guard, trust)}. Run "toolcrib trust" to review and decide`,
    names: [guard.name],
    origin: { kind: "trust" },
  }));
  const notices = [...fileNotices(trust), ...ofGuards];
  if (first === undefined) return notices;
  const listed = waiting.map((item) => `${describeItem(item)} (${formatOrigin(item.origin)})`).join(", ");
  const why =
    state === "changed"
      ? "the project's configuration asks for more than was trusted"
      : "the project's configuration has entries that need your trust";
  const text = `${why}; left out: ${listed}. Run "toolcrib trust" to review and allow it`;
  const names = waiting.map(({ name }) => name);
  return [{ level: "warning", code: "config.untrusted", text, names, origin: first.origin }, ...notices];
}

/** Files of entries that count: what they run waits. */
function fileNotices(trust: Trust): readonly Notice[] {
  const waiting = waitingItems(trust).filter(({ what }) => what === PROGRAM_FILE);
  const there = waiting.map(({ name, standing, of = [], origin }) => {
    const why = standing === "changed" ? "changed since it was trusted" : "is not trusted yet";
    return { name, origin, of, why };
  });
  return there.slice(0, MOST_TOLD).map(({ name, origin, of, why }, at): Notice => {
    const others = at === MOST_TOLD - 1 ? there.length - MOST_TOLD : 0;
    const more = others > 0 ? `; and so do ${others} more files` : "";
    const text = `${name} ${why}, and is run outside the sandbox by ${of.join(", ")} (${formatOrigin(origin)}), which waits${more}. Run "toolcrib trust" to review and allow it`;
    return { level: "warning", code: "config.untrusted", text, names: [name], origin };
  });
}

const MOST_TOLD = 5;

/** A clause about a missing guard, and its consequence. */
export function describeLost(guard: LostGuard, { workspace }: Pick<Trust, "workspace">): string {
  const where = guard.trustedIn === workspace ? "was trusted" : `was trusted in ${guard.trustedIn}`;
  const why = isWithin(guard.trustedIn, workspace) && guard.trustedIn !== workspace ? " or does not count here" : "";
  return `the ${describeItem(guard)} ${where} and is changed or gone${why}, so the calls it covered are denied until a person decides`;
}
