import { objectOf, textOrNull } from "../shape/json-value.ts";
import type { Dialect } from "./contract/dialect.ts";
import { DIALECTS } from "./dialects.ts";
import type { DialectName } from "./limits/limits.ts";

type Telling = Pick<Dialect<unknown, unknown>, "name" | "owns" | "isWhole">;

/** Whether streams of a dialect contain such an event. */
export function isEventOf({ owns }: Pick<Telling, "owns">, event: unknown): boolean {
  const given = objectOf(event);
  return owns(given, textOrNull(given.type) ?? "");
}

/** The dialects whose streams contain such an event. */
export function ownersOf(event: unknown): readonly DialectName[] {
  return Object.values(DIALECTS).flatMap((dialect: Telling) => (isEventOf(dialect, event) ? [dialect.name] : []));
}

/** Whether a complete response looks like one of that dialect, even an empty one. */
export function isWholeOf(dialect: DialectName, response: unknown): boolean {
  const { isWhole }: Telling = DIALECTS[dialect];
  return isWhole === undefined ? ownersOf(response).includes(dialect) : isWhole(objectOf(response));
}
