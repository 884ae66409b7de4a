import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
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
  return createSealer(first === undefined ? await ownKeys(folder) : [first, ...others]);
}

/** The same at once, for a key that another process of this person has just made; null if there is no such file. */
export function readOwnSealer(folder: string): KeyedSealer | null {
  const path = ownFile(folder);
  try {
    return createSealer(toOwnKeys(readFileSync(path, "utf8"), path));
  } catch {
    return null;
  }
}

/**
 * Makes another key of this person that seals from now on; those that nothing is sealed with any longer go. Returns what
 * seals now.
 */
export async function rotateOwnKey(place: PeoplePlace, folder: string): Promise<KeyedSealer> {
  await ownKeys(folder);
  const path = ownFile(folder);
  return oneAtATime(path, async () => {
    const inUse = await usedSealingKeys(place);
    const before = toOwnKeys(await readFile(path, "utf8"), path);
    const [newest] = createSealer(before).keys;
    const kept = before.filter((key) => createSealer([key]).keys.some((id) => id === newest || inUse.includes(id)));
    const keys: readonly [Buffer, ...Buffer[]] = [randomBytes(BYTES), ...kept];
    const sealer = createSealer(keys);
    await writeWhole(path, keys.map((key) => `${key.toString("base64")}\n`).join(""), 0o600);
    await checkSealingKeys(place, sealer);
    return sealer;
  });
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
    // One that was to go may seal again.
    const isFirst = Array.isArray(value) && value.includes(first);
    const others = toKeysInUse(value, Date.now()).filter(({ id }) => id !== first);
    return missing.length > 0 || isFirst
      ? value
      : [first, ...others.map(({ id, until }) => (until === null ? id : { id, until }))];
  });
  if (missing.length === 0) return;
  const text = `secrets in the store are sealed with a key that is not here (${missing.join(", ")}; here: ${sealer.keys.join(", ")})`;
  throw new ToolcribError(
    "people.wrong-key",
    `${text}; give all machines the same gateway.auth.keys, with an earlier key behind the one that replaces it`,
    { names: missing },
  );
}

/**
 * Records that rows of people are sealed with the first key by now. The others can go: at once, or after the milliseconds
 * for which something else that they seal is kept; never with null.
 */
export function settleSealingKeys(
  place: PeoplePlace,
  { keys: [first] }: KeyedSealer,
  stays: number | null = 0,
  now: number = Date.now(),
): Promise<void> {
  return peopleValues(place, "people.sealing").change(ROW, (value) => {
    if (stays === null) return value;
    const others = toKeysInUse(value, now).filter(({ id }) => id !== first);
    return [
      first,
      ...others.map(({ id, until }) => ({ id, until: until ?? now + stays })).filter(({ until }) => until > now),
    ];
  });
}

interface KeyInUse {
  readonly id: string;
  /** When the last that it seals is gone, in milliseconds since 1970; null while rows of people may be. */
  readonly until: number | null;
}

function toKeysInUse(value: unknown, now: number): readonly KeyInUse[] {
  const all = Array.isArray(value) ? value : [];
  return all.flatMap((one): KeyInUse[] => {
    if (typeof one === "string") return [{ id: one, until: null }];
    const isKnown = isRecord(one) && typeof one.id === "string" && typeof one.until === "number" && one.until > now;
    return isKnown ? [{ id: String(one.id), until: Number(one.until) }] : [];
  });
}

function toIds(value: unknown): readonly string[] {
  return toKeysInUse(value, Date.now()).map(({ id }) => id);
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

/** Ids of keys with which something may be sealed; with `ofPeople`, only those of rows of people. */
export async function usedSealingKeys(place: PeoplePlace, ofPeople = false): Promise<readonly string[]> {
  const inUse = toKeysInUse(await peopleValues(place, "people.sealing").get(ROW), Date.now());
  return inUse.filter(({ until }) => until === null || !ofPeople).map(({ id }) => id);
}

function ownFile(folder: string): string {
  return join(folder, "sealing.key");
}

/** A key on each line; the first one seals. */
function toOwnKeys(text: string, path: string): readonly [Buffer, ...Buffer[]] {
  const lines = text.split("\n").map((line) => line.trim());
  const [first, ...others] = lines.flatMap((line, at): Buffer[] =>
    line === "" && at > 0 ? [] : [toKey(line, "the key in it", { kind: "file", file: path, line: at + 1 })],
  );
  return [first as Buffer, ...others]; // An empty first line is refused above.
}

/** Of this person on this machine. */
async function ownKeys(folder: string): Promise<readonly [Buffer, ...Buffer[]]> {
  const path = ownFile(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return oneAtATime(path, async () => {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return null;
      throw error;
    });
    if (text === null) {
      const key = randomBytes(BYTES);
      await writeWhole(path, `${key.toString("base64")}\n`, 0o600);
      return [key];
    }
    // A restored backup may have made it readable for everybody.
    if ((await stat(path)).mode & 0o077) await chmod(path, 0o600);
    return toOwnKeys(text, path);
  });
}
