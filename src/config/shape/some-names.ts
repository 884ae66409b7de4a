import { either, list, text, to } from "../../core/shape/shape.ts";

/** A name or a list of names. */
export const someNames = (about: string) => to(either([text(), list(text())], { about }), toList);

export function toList<T extends string>(value: T | readonly T[]): readonly T[] {
  return typeof value === "string" ? [value] : value;
}
