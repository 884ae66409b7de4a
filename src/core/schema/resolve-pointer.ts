import { isRecord } from "../shape/json-value.ts";

/** The target of a local `$ref`; undefined for another document, an anchor or a missing target. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  if (!/^#(?:\/|$)/.test(pointer)) return undefined;
  let found = root;
  for (const part of pointer.slice(1).split("/").slice(1)) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = found[Number(key)];
    else if (isRecord(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

/** The name of a definition, if the pointer leads to one. */
export function toDefinitionName(pointer: string): string | null {
  const match = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(pointer);
  return match?.[1] === undefined ? null : decode(match[1]);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
