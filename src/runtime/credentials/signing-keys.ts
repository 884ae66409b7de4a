import type { JWK } from "jose";
import type { SignedCredential } from "../../config/shape/credential-shape.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace, Sealer } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";
import { sealedWith } from "../people/sealer.ts";

type SigningAlgorithm = SignedCredential["algorithm"];

/** The key that signs now. */
interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly secret: JWK;
}

/** Keys with which the gateway says who asks: the same for all machines, made when the first is needed. */
export interface SigningKeys {
  current(algorithm: SigningAlgorithm): Promise<SigningKey>;
  /** Keys that servers may need to check what was signed, for everybody to read. */
  published(): Promise<readonly JWK[]>;
  /** All of them, with what each does now. */
  list(): Promise<readonly { readonly kid: string; readonly algorithm: SigningAlgorithm; readonly state: string }[]>;
  /** A new key of each kind in use: published at once, it signs once everybody can have read it. Returns their ids. */
  rotate(): Promise<readonly string[]>;
  /** Seals them with the key that seals now; true if nothing else is left. */
  reseal(): Promise<boolean>;
}

interface StoredKey {
  readonly kid: string;
  readonly open: JWK;
  readonly sealed: string;
  /** When it begins to sign, in milliseconds since 1970. */
  readonly from: number;
}

interface SigningKeysOptions {
  readonly place: PeoplePlace;
  readonly sealer: Sealer & { readonly keys: readonly string[] };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const ALGORITHMS: readonly SigningAlgorithm[] = ["ES256", "EdDSA"];
/** Milliseconds for which servers may keep what is published. */
const PUBLISHED_FOR = 300_000;
/** Milliseconds until a new key signs: all who keep the old set have read the new one by then. */
const UNTIL_IT_SIGNS = 2 * PUBLISHED_FOR;
/** Milliseconds for which the one before it stays published, as what it signed counts an hour at most. */
const STAYS = 2 * 3_600_000;
/** Milliseconds for which what was read counts. */
const KNOWN_FOR = 30_000;

export function createSigningKeys({ place, sealer, now = Date.now }: SigningKeysOptions): SigningKeys {
  const values = peopleValues(place, "people.signing");
  const known = new Map<SigningAlgorithm, { readonly key: SigningKey; readonly until: number }>();
  const about = (algorithm: SigningAlgorithm, kid: string) => ["signing key", place.scope, algorithm, kid];
  const isNewest = ({ sealed }: StoredKey): boolean => sealedWith(sealed) === sealer.keys[0];
  const read = async (algorithm: SigningAlgorithm) => toKeys(await values.get(algorithm));
  const make = async (algorithm: SigningAlgorithm, from: number): Promise<StoredKey> => {
    const { kid, open, secret } = await makeKey(algorithm);
    return { kid, open, from, sealed: sealer.seal(JSON.stringify(secret), about(algorithm, kid)) };
  };
  const add = async (algorithm: SigningAlgorithm, made: StoredKey, onlyFirst: boolean): Promise<void> => {
    await values.change(algorithm, (value) => {
      const keys = toKeys(value);
      return onlyFirst && keys.length > 0 ? value : [...stillPublished(keys, now()), made];
    });
  };
  return {
    async current(algorithm) {
      const kept = known.get(algorithm);
      if (kept !== undefined && kept.until > now()) return kept.key;
      if ((await read(algorithm)).length === 0) await add(algorithm, await make(algorithm, now()), true);
      const stored = signsNow(await read(algorithm), now());
      const text = stored && sealer.open(stored.sealed, about(algorithm, stored.kid));
      if (stored === null || text === null) throw closed();
      const key = { kid: stored.kid, algorithm, secret: JSON.parse(text) as JWK }; // As it was sealed here.
      known.set(algorithm, { key, until: now() + KNOWN_FOR });
      return key;
    },
    async published() {
      const all = await Promise.all(ALGORITHMS.map(read));
      return all.flatMap((keys) => stillPublished(keys, now()).map(({ open }) => open));
    },
    async list() {
      const all = await Promise.all(ALGORITHMS.map(async (algorithm) => ({ algorithm, keys: await read(algorithm) })));
      return all.flatMap(({ algorithm, keys }) => {
        const signs = signsNow(keys, now());
        const stateOf = (key: StoredKey): string =>
          key === signs ? "signs" : key.from > now() ? "is published, and signs soon" : "is still published";
        return stillPublished(keys, now()).map((key) => ({ kid: key.kid, algorithm, state: stateOf(key) }));
      });
    },
    async rotate() {
      const made: string[] = [];
      for (const algorithm of ALGORITHMS) {
        if ((await read(algorithm)).length === 0) continue;
        const next = await make(algorithm, now() + UNTIL_IT_SIGNS);
        await add(algorithm, next, false);
        made.push(next.kid);
      }
      return made;
    },
    async reseal() {
      let isWhole = true;
      for (const algorithm of ALGORITHMS) {
        await values.change(algorithm, (value) => {
          const keys = toKeys(value);
          const sealed = keys.map((key) => {
            const secret = isNewest(key) ? null : sealer.open(key.sealed, about(algorithm, key.kid));
            return secret === null ? key : { ...key, sealed: sealer.seal(secret, about(algorithm, key.kid)) };
          });
          isWhole = isWhole && sealed.every((key) => isNewest(key));
          return keys.length === 0 ? value : sealed;
        });
      }
      return isWhole;
    },
  };
}

function closed(): ToolcribError {
  const text = "the key with which the gateway says who asks does not open with gateway.auth.keys";
  return new ToolcribError("people.wrong-key", `${text}; give all machines the same keys`, { names: [] });
}

/** The newest of those that may sign by now. */
function signsNow(keys: readonly StoredKey[], now: number): StoredKey | null {
  const may = keys.filter(({ from }) => from <= now).sort((one, other) => other.from - one.from);
  return may[0] ?? null;
}

/** All but those whose successor has signed for long enough. */
function stillPublished(keys: readonly StoredKey[], now: number): readonly StoredKey[] {
  return keys.filter(({ from }) => !keys.some((other) => other.from > from && other.from + STAYS <= now));
}

async function makeKey(algorithm: SigningAlgorithm) {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import("jose");
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const [open, secret] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)]);
  const kid = await calculateJwkThumbprint(open);
  return { kid, open: { ...open, kid, alg: algorithm, use: "sig" }, secret };
}

/** As it was written; nothing of what only another version could have written. */
function toKeys(value: unknown): readonly StoredKey[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (key): key is StoredKey =>
      isRecord(key) && typeof key.kid === "string" && typeof key.sealed === "string" && typeof key.from === "number",
  );
}
