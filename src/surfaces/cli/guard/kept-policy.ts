import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { lookAgain, type RecordedReads } from "../../../config/layers/recorded-reads.ts";
import { keptFolder } from "../../../config/layers/state-folder.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { mapNode } from "../../../core/shape/node.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import type { Grant } from "../../../runtime/permissions/grant.ts";
import { SETTING_VARIABLES } from "../../guard/hook-question.ts";
import { BIN } from "../running/own-program.ts";
import type { HookPlace, HookPolicy } from "./hook-place.ts";
import { readKept, writeKept } from "./kept-file.ts";

/** What a hook judges by, as an earlier one has worked it out. */
export interface KeptPolicy extends HookPolicy {
  readonly grants: readonly Grant[];
}

/** All that it was worked out from. */
export interface PolicySources {
  readonly reads: RecordedReads;
  /** Files that are not read here, and which of them was there: a store of approvals. */
  readonly stamps: ReadonlyMap<string, string>;
}

const CIPHER = "aes-256-gcm";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** What is looked at, in the order in which it is. */
interface Looks {
  readonly files: readonly string[];
  readonly variables: readonly (string | null)[];
  readonly stamps: readonly string[];
}

/**
 * Keeps a policy for the next hook in the same folder. It is encrypted with a key made of the content of all its sources: who
 * finds the same in them can read it, and nobody else. So it tells nothing that they do not tell, and where one has changed,
 * or it is damaged itself, it is no policy.
 */
export function keepPolicy(place: HookPlace, { config, workspace, grants }: KeptPolicy, sources: PolicySources): void {
  const { reads, stamps } = sources;
  const looks: Looks = {
    files: [...reads.files.keys()],
    variables: [...reads.variables.keys()],
    stamps: [...stamps.keys()],
  };
  const head = JSON.stringify(looks);
  const kept: KeptPolicy = { config: { ...config, written: UNWRITTEN, notices: [] }, workspace, grants };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, toKey(head, sources), nonce);
  const body = Buffer.concat([cipher.update(serialize(kept)), cipher.final()]);
  writeKept(pathOf(place), Buffer.concat([Buffer.from(`${head}\n`), nonce, cipher.getAuthTag(), body]));
}

/** Null where there is none, or where any of its sources is not what it was. */
export async function findKeptPolicy(place: HookPlace): Promise<KeptPolicy | null> {
  const bytes = readKept(pathOf(place));
  const end = bytes?.indexOf("\n") ?? -1;
  if (bytes === null || end === -1) return null;
  const head = bytes.toString("utf8", 0, end);
  const looks = parseJson(head);
  if (!isLooks(looks)) return null;
  const reads = await lookAgain(looks, fileReaders, place.env);
  const stamps = new Map(looks.stamps.map((path) => [path, stampOf(path)]));
  const [nonce, tag] = [end + 1, end + 1 + NONCE_BYTES];
  const body = tag + TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, toKey(head, { reads, stamps }), bytes.subarray(nonce, tag));
    decipher.setAuthTag(bytes.subarray(tag, body));
    const plain = Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]);
    return deserialize(plain) as KeptPolicy; // Only what was kept opens with this key.
  } catch {
    return null;
  }
}

/** Nothing is judged by the text of settings. */
const UNWRITTEN = mapNode([], { kind: "default" });

function isLooks(value: unknown): value is Looks {
  if (!isRecord(value)) return false;
  const isText = (one: unknown): boolean => typeof one === "string";
  const { files, variables, stamps } = value;
  return (
    [files, variables, stamps].every(Array.isArray) &&
    [...(files as unknown[]), ...(stamps as unknown[])].every(isText) && // They are lists.
    (variables as unknown[]).every((one) => one === null || isText(one))
  );
}

function toKey(head: string, { reads, stamps }: PolicySources): Buffer {
  const found = JSON.stringify([[...reads.files], [...reads.variables], [...stamps]]);
  return createHash("sha256")
    .update(`${CODE.map(stampOf).join(" ")}\n${head}\n${found}`)
    .digest();
}

/** What has worked it out. A new version is other files, and means other things by the same words. */
const CODE = [BIN, join(BIN, "..", "..", "dist", "command", "alone.cjs")];

function pathOf({ cwd, env }: HookPlace): string {
  const parts = [cwd, ...SETTING_VARIABLES.map((name) => env[name] ?? null)];
  const name = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 40);
  return join(keptFolder({ home: homeFolder(env), env }), `${name}.policy`);
}

/** Changes with every way of writing a file. */
export function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "none" : `${found.dev}:${found.ino}:${found.mtimeNs}:${found.ctimeNs}:${found.size}`;
  } catch {
    return "unreadable";
  }
}
