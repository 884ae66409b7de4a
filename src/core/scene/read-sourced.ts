import type { NameList, Sourced } from "../codes/origin.ts";
import { listOf, type Reader, string, worldOrigin } from "./read-shape.ts";

/** The same value, with the place in the world it was read from. */
export function sourcedOf<T>(reader: Reader<T>): Reader<Sourced<T>> {
  return (value, path, report) => ({ value: reader(value, path, report), origin: worldOrigin(report.file, path) });
}

export const names: Reader<NameList> = sourcedOf(listOf(sourcedOf(string)));
