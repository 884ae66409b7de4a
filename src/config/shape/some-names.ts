import { either, list, text, to } from "../../core/shape/shape.ts";

/** A name or a list of names. */
export const someNames = (about: string) => to(list(text(), { about }), (values): readonly string[] => values);

