import { toGlob } from "../../core/catalog/glob.ts";
import type { Unwanted } from "../source.ts";
import type { ApiSpec } from "./api-spec.ts";
import type { Operation } from "./operation.ts";

export type Choosable = Pick<Operation, "name" | "method" | "path" | "tags">;

/**
 * What filters an operation out; null if it becomes a tool. A pattern is a name, `tag:NAME`, a path, or a method and a
 * path; `*` is anything.
 */
export function createChoice({
  include,
  exclude,
}: Pick<ApiSpec, "include" | "exclude">): (one: Choosable) => Unwanted | null {
  const wanted = include?.map(toTest) ?? null;
  const unwanted = exclude.map((pattern) => ({ pattern, test: toTest(pattern) }));
  return (one) => {
    const isIncluded = wanted === null || wanted.some((test) => test(one));
    const excludedBy = unwanted.flatMap(({ pattern, test }) => (test(one) ? [pattern] : []));
    return isIncluded && excludedBy.length === 0 ? null : { isIncluded, excludedBy };
  };
}

function toTest(pattern: string): (one: Choosable) => boolean {
  const [, method, rest = ""] = /^(?:([a-z*]+)\s+)?(\S.*)$/i.exec(pattern.trim()) ?? [];
  if (rest.startsWith("tag:")) {
    const matches = toGlob(rest.slice(4));
    return ({ tags }) => tags.some(matches);
  }
  const matches = toGlob(rest);
  if (method === undefined && !rest.startsWith("/")) return ({ name }) => matches(name);
  const isMethod = toGlob((method ?? "*").toLowerCase());
  return (one) => isMethod(one.method) && matches(one.path);
}
