import { ToolcribError } from "../../core/codes/toolcrib-error.ts";

/** Longer names fit into no index of PostgreSQL. */
const LONGEST = 500;

/** Whether every store can keep this name as it is. NUL ends a text for some, and half a character is no text at all. */
export function isStorable(name: string): boolean {
  return name.length <= LONGEST && !/[\0\p{Surrogate}]/u.test(name);
}

export const STORABLE = `text of at most ${LONGEST} characters, without NUL and halves of characters`;

/** Throws `store.invalid-id` for a name under which nothing can be stored. */
export function requireStorable(what: string, name: string): void {
  if (isStorable(name)) return;
  const shown = JSON.stringify(name.slice(0, 60));
  throw new ToolcribError("store.invalid-id", `${what} must be ${STORABLE}; found ${shown}`, { names: [shown] });
}
