import type { FilterConfig, FilterJudge } from "../../config/shape/filter-shape.ts";
import type { NameList } from "../../core/codes/origin.ts";
import type { FilterSide, Sieve } from "../../core/filters/filter.ts";
import { findByPattern } from "../../core/filters/own-pattern.ts";
import { FINDERS } from "./finders.ts";

/** One filter, ready to look. */
export interface ReadyFilter {
  readonly on: readonly FilterSide[];
  readonly tools: NameList | null;
  readonly except: NameList | null;
  /** Empty for a judge. */
  readonly sieves: readonly Sieve[];
  readonly judge: NamedJudge | null;
}

/** A judge under the name that logs use. */
export interface NamedJudge extends FilterJudge {
  readonly name: string;
}

const known = new WeakMap<readonly FilterConfig[], readonly ReadyFilter[]>();

/** Patterns were tried when the configuration was loaded, so that none fails here. */
export function readyFilters(filters: readonly FilterConfig[]): readonly ReadyFilter[] {
  const ready = known.get(filters) ?? filters.map(toReady);
  known.set(filters, ready);
  return ready;
}

function toReady(filter: FilterConfig): ReadyFilter {
  const { on, tools, except, name, judge } = filter;
  return {
    ...{ on, tools, except },
    sieves: toSieves(filter),
    judge: judge === null ? null : { ...judge, name: name ?? "judge" },
  };
}

function toSieves({ kinds, pattern, name, do: act, origin }: FilterConfig): readonly Sieve[] {
  const toSieve = (finder: Sieve["finder"]): Sieve => ({ finder, act, origin });
  if (pattern !== null) return [toSieve(findByPattern(name ?? "pattern", pattern))];
  return (kinds ?? []).map((kind) => toSieve({ ...FINDERS[kind], ...(name === null ? {} : { kind: name }) }));
}
