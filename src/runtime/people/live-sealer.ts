import type { PeoplePlace } from "./contract.ts";
import { type KeyedSealer, sealedWith } from "./sealer.ts";
import { checkSealingKeys, loadSealer, readOwnSealer, type SealingKeys } from "./sealing-keys.ts";

/** A sealer whose keys change while it is in use (O11). */
export interface LiveSealer extends KeyedSealer {
  /**
   * Takes over the keys as they are now, once the store knows about the one that seals; true if another one does. Throws
   * `people.wrong-key` and `config.invalid`, and goes on as before.
   */
  renew(keys: Pick<SealingKeys, "keys" | "origin">): Promise<boolean>;
}

/** Milliseconds between two looks for a key that is not known. */
const LOOK_AGAIN = 2_000;

export function createLiveSealer(
  first: KeyedSealer,
  { place, folder }: { readonly place: PeoplePlace; readonly folder: string },
  now: () => number = Date.now,
): LiveSealer {
  let current = first;
  let looked = Number.NEGATIVE_INFINITY;
  /** Only opens: what seals is taken over once the store knows about it. */
  let newer: KeyedSealer | null = null;
  return {
    get keys() {
      return current.keys;
    },
    seal: (secret, about) => current.seal(secret, about),
    open(sealed, about) {
      const key = sealedWith(sealed);
      if (key === null || current.keys.includes(key)) return current.open(sealed, about);
      // Another process of this person may have made a key since.
      if (now() - looked >= LOOK_AGAIN && newer?.keys.includes(key) !== true) {
        looked = now();
        newer = readOwnSealer(folder);
      }
      return newer?.open(sealed, about) ?? null;
    },
    async renew({ keys, origin }) {
      const next = await loadSealer({ keys, origin, folder });
      const isSame = next.keys.join() === current.keys.join();
      if (isSame) return false;
      await checkSealingKeys(place, next);
      const isOther = next.keys[0] !== current.keys[0];
      current = next;
      return isOther;
    },
  };
}

/** The keys of this person as they are now: another process may have made another one that seals. */
export function followOwnKeys(first: KeyedSealer, folder: string, now: () => number = Date.now): KeyedSealer {
  let current = first;
  let looked = now();
  const newest = (isUnknown = false): KeyedSealer => {
    if (now() - looked < LOOK_AGAIN && !isUnknown) return current;
    looked = now();
    current = readOwnSealer(folder) ?? current;
    return current;
  };
  return {
    get keys() {
      return current.keys;
    },
    seal: (secret, about) => newest().seal(secret, about),
    open: (sealed, about) => newest(!current.keys.includes(sealedWith(sealed) ?? "")).open(sealed, about),
  };
}
