import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { oneAtATime } from "../edit/one-at-a-time.ts";
import { fileReaders } from "../layers/readers.ts";
import { describeItem, identityOf, type TrustItem, type WrittenGuard, type WrittenItem } from "./trust-items.ts";
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
  readonly state: TrustState;
  /** What trust enables or would enable, each by itself. */
  readonly items: readonly TrustItem[];
  /** What was trusted and is not there any more. */
  readonly gone: readonly TrustedItem[];
  /** Guards that were trusted and are changed or gone: the calls they covered are denied until a person decides. */
  readonly lost: readonly TrustedGuard[];
  /** What can refuse calls now. */
  readonly guards: readonly WrittenGuard[];
}

interface Written {
  readonly items: readonly WrittenItem[];
  readonly guards: readonly WrittenGuard[];
}

export function judgeTrust(workspace: string, { items, guards }: Written, store: TrustStore): Trust {
  const record = store.get(workspace);
  const hashes = new Set(record?.items.map(({ hash }) => hash));
  const known = new Set(record?.items.map(identityOf));
  const judged = items.map((item): TrustItem => {
    const standing = hashes.has(item.hash) ? "trusted" : known.has(identityOf(item)) ? "changed" : "new";
    return { ...item, standing };
  });
  const isThere = new Set(items.flatMap((item) => [item.hash, identityOf(item)]));
  const gone = (record?.items ?? []).filter(
    (item) => item.what !== "" && !isThere.has(item.hash) && !isThere.has(identityOf(item)),
  );
  const lost = (record?.guards ?? []).filter((guard) => !guards.some((now) => now.counts && standsFor(now, guard)));
  const isOpen = lost.length > 0 || judged.some(({ standing }) => standing !== "trusted");
  const state =
    items.length === 0 && lost.length === 0
      ? "nothing"
      : record === undefined
        ? "untrusted"
        : isOpen
          ? "changed"
          : "trusted";
  return { workspace, state, items: judged, gone, lost, guards };
}

/** A rule is the same wherever it is written, and to deny what was asked about is stricter; a hook is all that it says. */
function standsFor(now: WrittenGuard, guard: TrustedGuard): boolean {
  if (now.covers.kind === "hook" || guard.covers.kind === "hook") return now.hash === guard.hash;
  return now.covers.rule === guard.covers.rule && (now.what === guard.what || now.what === "deny rule");
}

/** Whether trusting `only` these is asked for; all of it when absent. */
export type ChooseItem = (item: Pick<TrustedItem, "what" | "name" | "path">) => boolean;

/** Remembers what is trusted now: everything that is written, or what is chosen besides what was trusted before. */
export async function keepTrust(trust: Trust, places: Home, isChosen: ChooseItem = () => true): Promise<void> {
  const path = storePath(places);
  // A folder that cannot be made is told as the file that cannot be written into it.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await oneAtATime(path, async () => {
    const store = new Map(await loadTrust(places, fileReaders));
    await saveTrust(store.set(trust.workspace, nextRecord(trust, store.get(trust.workspace), isChosen)), places);
  });
}

/** Writes a record of an earlier version in today's form; what it grants stays what it was. */
export async function takeOver(trust: Trust, store: TrustStore, places: Home): Promise<void> {
  if (store.get(trust.workspace)?.isOld !== true) return;
  // Where it cannot be written, it is taken over in memory alone, each time.
  await keepTrust(trust, places, () => false).catch(() => undefined);
}

function nextRecord(trust: Trust, before: TrustRecord | undefined, isChosen: ChooseItem): TrustRecord {
  const chosen = trust.items.filter(isChosen);
  const replaced = new Set(chosen.map(identityOf));
  const hashes = new Set(before?.items.map(({ hash }) => hash));
  const present = trust.items.filter((item) => isChosen(item) || hashes.has(item.hash));
  const isKnown = new Set(present.map(({ hash }) => hash));
  const rest = (before?.items ?? []).filter(
    (item) => !isKnown.has(item.hash) && !replaced.has(identityOf(item)) && !isChosen(item),
  );
  const guards = trust.guards.filter(({ counts, hash }) => counts || isKnown.has(hash));
  // One that is missing stays missed until a person says that it may go.
  const missed = trust.lost.filter((guard) => !isChosen(guard) && !replaced.has(identityOf(guard)));
  return {
    items: unique([...present, ...rest]),
    guards: unique([...guards, ...missed]),
    isOld: false,
  };
}

function unique<T extends TrustedItem>(items: readonly T[]): readonly T[] {
  const sorted = [...items].sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
  return [...new Map(sorted.map((item) => [item.hash, item])).values()];
}

/** What is written and does not count yet. */
export function waitingItems({ items }: Pick<Trust, "items">): readonly TrustItem[] {
  return items.filter(({ standing }) => standing !== "trusted");
}

export function trustNotices(trust: Trust): readonly Notice[] {
  const { state, lost } = trust;
  const waiting = waitingItems(trust);
  const [first] = waiting;
  const notices: Notice[] = lost.map((guard) => ({
    level: "warning",
    code: "config.untrusted",
    text: `${describeLost(guard)}. Run "toolcrib trust" to review and decide`,
    names: [guard.name],
    origin: { kind: "trust" },
  }));
  if (first === undefined) return notices;
  const listed = waiting.map((item) => `${describeItem(item)} (${formatOrigin(item.origin)})`).join(", ");
  const why =
    state === "changed"
      ? "the project's configuration asks for more than was trusted"
      : "the project's configuration asks for what counts only in a trusted workspace";
  const text = `${why}; left out: ${listed}. Run "toolcrib trust" to review and allow it`;
  const names = waiting.map(({ name }) => name);
  return [{ level: "warning", code: "config.untrusted", text, names, origin: first.origin }, ...notices];
}

/** A clause about a guard that is missing, and what follows. */
export function describeLost(guard: TrustedGuard): string {
  return `the ${describeItem(guard)} was trusted and is changed or gone, so the calls it covered are denied until a person decides`;
}
