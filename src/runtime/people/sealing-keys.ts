import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { errnoOf } from "../../system/paths/path-refusal.ts";
import type { PeoplePlace } from "./contract.ts";
import { peopleValues } from "./people-values.ts";
import { createSealer, type KeyedSealer } from "./sealer.ts";

export interface SealingKeys {
  /** `gateway.auth.keys`; null for one whose variable is not set. */
  readonly keys: readonly (string | null)[];
  readonly origin: Origin;
  /** The person's state folder: without a configured key, one is made there. */
  readonly folder: string;
}

const BYTES = 32;
const FORMS = [
  { encoding: "hex", form: /^[0-9a-f]{64}$/i },
  { encoding: "base64", form: /^[A-Za-z0-9+/]{43}=?$/ },
  { encoding: "base64url", form: /^[\w-]{43}=?$/ },
] as const;

/** Throws `config.invalid` for what is no key, without showing it. */
export async function loadSealer({ keys, origin, folder }: SealingKeys): Promise<KeyedSealer> {
  const [first, ...others] = keys.map((key, at) => toKey(key, `gateway.auth.keys[${at}]`, origin));
  return createSealer(first === undefined ? [await ownKey(folder)] : [first, ...others]);
}

const ROW = "keys";

/**
 * Throws `people.wrong-key` if something in the store may be sealed with a key that is not here. With a wrong key a
 * machine would take everybody's logins for lost.
 */
export async function checkSealingKeys(place: PeoplePlace, sealer: KeyedSealer): Promise<void> {
  const [first] = sealer.keys;
  let missing: readonly string[] = [];
  await peopleValues(place, "people.sealing").change(ROW, (value) => {
    const inUse = toIds(value);
    missing = inUse.filter((id) => !sealer.keys.includes(id));
    return missing.length > 0 || inUse.includes(first) ? value : [first, ...inUse];
  });
  if (missing.length === 0) return;
  const text = `secrets in the store are sealed with a key that is not here (${missing.join(", ")}; here: ${sealer.keys.join(", ")})`;
  throw new ToolcribError(
    "people.wrong-key",
    `${text}; give all machines the same gateway.auth.keys, with an earlier key behind the one that replaces it`,
    { names: missing },
  );
}

/** Records that everything is sealed with the first key by now, so that the others can go. */
export function settleSealingKeys(place: PeoplePlace, { keys: [first] }: KeyedSealer): Promise<void> {
  return peopleValues(place, "people.sealing").change(ROW, () => [first]);
}

function toIds(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function toKey(key: string | null, place: string, origin: Origin): Buffer {
  const wrong = (what: string): ToolcribError =>
    new ToolcribError("config.invalid", `${formatOrigin(origin)}: ${place} ${what}`, { origin });
  if (key === null) throw wrong("is empty, or its variable is not set; nothing can be sealed without it");
  const known = FORMS.find(({ form }) => form.test(key.trim()));
  if (known === undefined)
    throw wrong("is not a key of 32 bytes in base64 or hex; make one with openssl rand -base64 32");
  return Buffer.from(key.trim(), known.encoding);
}

/** Of this person on this machine. */
async function ownKey(folder: string): Promise<Buffer> {
  const path = join(folder, "sealing.key");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return oneAtATime(path, async () => {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return null;
      throw error;
    });
    if (text === null) {
      const key = randomBytes(BYTES);
      await writeWhole(path, `${key.toString("base64")}\n`, 0o600);
      return key;
    }
    // A restored backup may have made it readable for everybody.
    if ((await stat(path)).mode & 0o077) await chmod(path, 0o600);
    const origin: Origin = { kind: "file", file: path, line: 1 };
    return toKey(text, "the key in it", origin);
  });
}
