import { objectOf, textOrNull } from "../shape/json-value.ts";
import type { Dialect } from "./contract/dialect.ts";
import { DIALECTS } from "./dialects.ts";
import type { DialectName } from "./limits/limits.ts";

type Telling = Pick<Dialect<unknown, unknown>, "name" | "owns" | "isWhole">;

/** The dialects whose streams contain such an event. */
export function ownersOf(event: unknown): readonly DialectName[] {
  const given = objectOf(event);
  const type = textOrNull(given.type) ?? "";
  return Object.values(DIALECTS).flatMap(({ name, owns }: Telling) => (owns(given, type) ? [name] : []));
}

/** Whether a complete response looks like one of that dialect, even an empty one. */
export function isWholeOf(dialect: DialectName, response: unknown): boolean {
  const { isWhole }: Telling = DIALECTS[dialect];
  return isWhole === undefined ? ownersOf(response).includes(dialect) : isWhole(objectOf(response));
}
