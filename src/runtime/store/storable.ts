import { ToolcribError } from "../../core/codes/toolcrib-error.ts";

/** Longer names do not fit into an index of PostgreSQL. */
const LONGEST = 500;

/** Halves of pairs; as a property of Unicode, V8 takes milliseconds to compile it. */
const UNSTORABLE = /[\0\uD800-\uDFFF]/u;

/**
 * Whether every store can hold this name unchanged. NUL ends a text in some, and half a surrogate pair is not valid
 * text.
 */
export function isStorable(name: string): boolean {
  return name.length <= LONGEST && !UNSTORABLE.test(name);
}

export const STORABLE = `text of at most ${LONGEST} characters, without NUL and halves of characters`;

/** Throws `store.invalid-id` for a name under which nothing can be stored. */
export function requireStorable(what: string, name: string): void {
  if (isStorable(name)) return;
  const shown = JSON.stringify(name.slice(0, 60));
  throw new ToolcribError("store.invalid-id", `${what} must be ${STORABLE}; found ${shown}`, { names: [shown] });
}
