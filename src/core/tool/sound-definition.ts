import { mayHide } from "./hidden-text.ts";
import type { Tool } from "./tool.ts";

/** Far within the limits of size, depth and weight, however a text is escaped: what has more is read closely. */
const MOST_CHARACTERS = 60_000;
const MOST_PARTS = 900;
const DEEPEST = 30;

/**
 * Whether one quick walk shows that texts and schemas of a definition hide nothing, point nowhere else, and are neither
 * too large, too deep nor too heavy. Most are like that; of the others it says nothing.
 */
export function isSoundDefinition({ title, description, inputSchema, outputSchema }: Tool): boolean {
  const room: Room = { characters: MOST_CHARACTERS, parts: MOST_PARTS };
  return (
    (title === null || isSoundText(title, room)) &&
    isSoundText(description, room) &&
    isSoundValue(inputSchema, 0, room) &&
    isSoundValue(outputSchema, 0, room)
  );
}

/** What may still come. */
interface Room {
  characters: number;
  parts: number;
}

function isSoundValue(value: unknown, level: number, room: Room): boolean {
  if (--room.parts < 0) return false;
  if (typeof value === "string") return isSoundText(value, room);
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  return level < DEEPEST && isSoundPart(value, level + 1, room);
}

function isSoundPart(part: object, level: number, room: Room): boolean {
  if (Array.isArray(part)) {
    for (const item of part) if (!isSoundValue(item, level, room)) return false;
    return true;
  }
  const members = part as Record<string, unknown>; // An inherited member would only be read besides its own.
  for (const key in members) {
    const member = members[key];
    room.characters -= key.length;
    if (!cleanKeys.has(key) && !isCleanKey(key, member)) return false;
    if (!isSoundValue(member, level, room)) return false;
  }
  return true;
}

function isSoundText(text: string, room: Room): boolean {
  room.characters -= text.length;
  return room.characters >= 0 && !mayHide(text);
}

/** Cached, because the same keys recur. */
const cleanKeys = new Set<string>();
const MAX_KNOWN = 4_000;

/** Patterns can be heavy, and references can lead elsewhere. */
function isCleanKey(key: string, member: unknown): boolean {
  if (key.startsWith("pattern") || key.length > 64 || mayHide(key)) return false;
  if (key.startsWith("$") && key !== "$schema") return typeof member !== "string" || member.startsWith("#");
  if (cleanKeys.size >= MAX_KNOWN) cleanKeys.clear();
  cleanKeys.add(key);
  return true;
}
