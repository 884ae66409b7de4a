import { isRecord } from "../../core/shape/is-record.ts";
import { type ApiFile, atPointer, DocumentFault, type Located } from "./api-file.ts";

/** All files of one document, and the errors of those that could not be read. */
export interface ApiFiles {
  readonly root: ApiFile;
  readonly others: ReadonlyMap<string, ApiFile | Error>;
}

/** No legitimate chain of references is longer. */
const MOST_STEPS = 32;

/** A value with its references followed; the value itself if it has none. */
export function followReference(at: Located, files: ApiFiles): Located {
  let place = at;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const reference = referenceOf(place.value);
    if (reference === null) return place;
    place = findTarget(place, reference, files);
  }
  throw new DocumentFault(at, "refers to itself without end");
}

export function referenceOf(value: unknown): string | null {
  if (!isRecord(value) || !Object.hasOwn(value, "$ref")) return null;
  return typeof value.$ref === "string" ? value.$ref : null;
}

/** The location that a reference names, one step away. */
export function findTarget(at: Located, reference: string, files: ApiFiles): Located {
  const { address, pointer } = splitReference(reference, at.file.address);
  const file = address === null || address === at.file.address ? at.file : fileAt(address, at, reference, files);
  if (pointer !== "" && !pointer.startsWith("/"))
    throw new DocumentFault(at, `refers to ${quote(reference)}, which is no JSON pointer`);
  const target = atPointer(file, pointer);
  if (target.value === undefined) throw new DocumentFault(at, `refers to ${quote(reference)}, which is not there`);
  return target;
}

function fileAt(address: string, at: Located, reference: string, { root, others }: ApiFiles): ApiFile {
  if (address === root.address) return root;
  const file = others.get(address);
  if (file === undefined) throw new DocumentFault(at, `refers to ${quote(reference)}, which was not read`);
  if (!(file instanceof Error)) return file;
  throw new DocumentFault(at, `refers to ${quote(reference)}, which ${file.message}`);
}

/** The file that a reference leads to (null: its own file), and the pointer there. */
function splitReference(
  reference: string,
  base: string,
): { readonly address: string | null; readonly pointer: string } {
  const hash = reference.indexOf("#");
  const file = hash === -1 ? reference : reference.slice(0, hash);
  const pointer = hash === -1 ? "" : decode(reference.slice(hash + 1));
  return { address: file === "" ? null : toAddress(file, base), pointer };
}

function toAddress(file: string, base: string): string {
  if (URL.canParse(file) && /^[a-z][a-z\d+.-]+:/i.test(file)) return new URL(file).href;
  if (URL.canParse(base) && /^https?:/i.test(base)) return new URL(file, base).href;
  // Only its path is used, so any base will do.
  return decode(new URL(file.replaceAll("\\", "/"), `file://${encodeURI(base).replaceAll("#", "%23")}`).pathname);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** All references of a file that lead to other files, by address. */
export function outsideOf({ root, address: own }: ApiFile): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    const reference = referenceOf(value);
    const address = reference === null ? null : splitReference(reference, own).address;
    if (address !== null && address !== own) found.add(address);
    for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) waiting.push(inner);
  }
  return found;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
