import type { Dialect } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import { objectOf, textOf } from "./json-value.ts";
import type { DialectName } from "./limits.ts";

type Telling = Pick<Dialect<unknown, unknown>, "name" | "owns" | "isWhole">;

/** The dialects in whose streams such an event comes. */
export function ownersOf(event: unknown): readonly DialectName[] {
  const given = objectOf(event);
  const type = textOf(given.type) ?? "";
  return Object.values(DIALECTS).flatMap(({ name, owns }: Telling) => (owns(given, type) ? [name] : []));
}

/** Whether a response that is all there has what every response of that dialect has, also one that says nothing. */
export function isWholeOf(dialect: DialectName, response: unknown): boolean {
  const { isWhole }: Telling = DIALECTS[dialect];
  return isWhole === undefined ? ownersOf(response).includes(dialect) : isWhole(objectOf(response));
}
