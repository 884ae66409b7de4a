import { hash } from "node:crypto";
import type { DialectLimits } from "../limits/limits.ts";
import { type Restore, restoreArguments } from "./restore.ts";

/** The provider's names for the tools of one request, in both directions. */
export interface Names {
  /** The name that was sent; names that were never sent stay unchanged. */
  toProvider(wireName: string): string;
  /** The wire name for a name in a call, with its namespace if any. */
  fromProvider(name: string, namespace?: string | null): string;
  /** Arguments as the tool's own schema spells them, if the schema had to be shaped. */
  restore(wireName: string, args: unknown): unknown;
}

export interface NameEntry {
  readonly wireName: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly restore: Restore | null;
}

const HASH_LENGTH = 8;

/** The name itself if legal, else a cleaned one that ends in a hash and is not `taken`. */
export function nameFor(wireName: string, { pattern, maxLength }: DialectLimits["names"], taken: Set<string>): string {
  if (pattern.test(wireName)) return wireName;
  const head = `_${wireName.replace(/[^a-zA-Z0-9_]/g, "_")}`.slice(0, maxLength - HASH_LENGTH - 1);
  for (let attempt = 0; ; attempt += 1) {
    const digest = hash("sha256", attempt === 0 ? wireName : `${wireName}\u0000${attempt}`).slice(0, HASH_LENGTH);
    const name = `${head}_${digest}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

export function createNames(entries: Iterable<NameEntry>): Names {
  const byWire = new Map<string, NameEntry>();
  const byProvider = new Map<string, NameEntry>();
  for (const entry of entries) {
    byWire.set(entry.wireName, entry);
    byProvider.set(toKey(entry.name, entry.namespace), entry);
  }
  return {
    toProvider: (wireName) => byWire.get(wireName)?.name ?? wireName,
    fromProvider(name, namespace = null) {
      return (byProvider.get(toKey(name, namespace)) ?? byProvider.get(toKey(name, null)))?.wireName ?? name;
    },
    restore(wireName, args) {
      const restore = byWire.get(wireName)?.restore ?? null;
      return restore === null ? args : restoreArguments(args, restore);
    },
  };
}

/** For reading a stream without its payload. */
export const PLAIN_NAMES: Names = createNames([]);

function toKey(name: string, namespace: string | null): string {
  return namespace === null ? name : `${namespace}\u0000${name}`;
}
