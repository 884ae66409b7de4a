import { isRecord, type JsonObject, listOf, put } from "../../shape/json-value.ts";

/** Adds argument fragments addressed by JSON path, such as `$.a.b[0]`, to the arguments so far. */
export function addPartialArguments(target: JsonObject, pieces: unknown): void {
  for (const piece of listOf(pieces).filter(isRecord)) {
    const path = toPath(piece.jsonPath);
    const last = path.at(-1);
    if (last === undefined) continue;
    const holder = findHolder(target, path);
    const before = Reflect.getOwnPropertyDescriptor(holder, last)?.value;
    const value = readValue(piece);
    // Only text arrives in fragments; they are concatenated.
    const whole = typeof before === "string" && typeof value === "string" ? before + value : value;
    if (Array.isArray(holder)) holder[Number(last)] = whole;
    else put(holder, String(last), whole);
  }
}

function findHolder(target: JsonObject, path: readonly (string | number)[]): JsonObject | unknown[] {
  let holder: JsonObject | unknown[] = target;
  for (const [at, key] of path.slice(0, -1).entries()) {
    const found: unknown = Reflect.getOwnPropertyDescriptor(holder, key)?.value;
    const next: JsonObject | unknown[] =
      isRecord(found) || Array.isArray(found) ? found : typeof path[at + 1] === "number" ? [] : {};
    if (Array.isArray(holder)) holder[Number(key)] = next;
    else put(holder, String(key), next);
    holder = next;
  }
  return holder;
}

const MOST_ITEMS = 100_000;

function toPath(path: unknown): readonly (string | number)[] {
  const parts = [
    ...String(path ?? "").matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/g),
  ];
  return parts
    .map(([, name, index, single, double]) =>
      index === undefined ? (name ?? (single ?? double ?? "").replace(/\\(.)/g, "$1")) : Number(index),
    )
    .filter((key) => typeof key === "string" || key < MOST_ITEMS);
}

function readValue(piece: JsonObject): unknown {
  return piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? null;
}
