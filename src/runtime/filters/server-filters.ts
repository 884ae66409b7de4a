import type { FilterConfig } from "../../config/shape/filter-shape.ts";
import type { Cancelling } from "../../core/call/cancelling.ts";
import type { NameList } from "../../core/codes/origin.ts";
import type { FilterSide } from "../../core/filters/filter.ts";
import { createSifter } from "../../core/filters/sift.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { type ReadyFilter, readyFilters } from "./compile-filters.ts";
import { askJudge } from "./outside-judge.ts";
import { describeFound } from "./refusals.ts";

type Data = Readonly<Record<string, unknown>>;
export type FilteredData =
  | { readonly kind: "passed"; readonly value: Data }
  | { readonly kind: "refused"; readonly why: string };

export interface ServerData {
  readonly on: FilterSide;
  readonly server: string;
  /** Such as `resources/read`. */
  readonly method: string;
  readonly session: string;
  /** Its parameters, or the result. */
  readonly value: Data;
}

/**
 * What may pass of a request for a prompt or a resource of a server, or of its answer. A filter for some tools counts
 * where it names the whole server or one of its tools, and leaves out a server that it names whole.
 */
export async function passServer(
  filters: readonly FilterConfig[],
  data: ServerData,
  cancelling: Cancelling,
): Promise<FilteredData> {
  const own = filters.length === 0 ? [] : readyFilters(filters).filter((filter) => isAbout(filter, data));
  if (own.length === 0) return { kind: "passed", value: data.value };
  const sifted = createSifter(own.flatMap(({ sieves }) => sieves)).sift(data.value);
  const blocking = sifted.found.filter(({ act }) => act === "block");
  if (blocking.length > 0) return { kind: "refused", why: `it contains ${describeFound(blocking)}` };
  let value = isRecord(sifted.value) ? sifted.value : data.value;
  for (const judge of own.flatMap((filter) => filter.judge ?? [])) {
    const { on, session, server, method } = data;
    const answer = await askJudge(judge, { on, session, call: "", tool: method, server, value }, cancelling);
    if (answer.kind === "failed" && judge.onFailure === "continue") continue;
    if (answer.kind === "failed")
      return { kind: "refused", why: `the judge ${judge.name} has to agree and gave no answer` };
    if (!answer.accept) return { kind: "refused", why: answer.message ?? `the judge ${judge.name} refuses it` };
    if (isRecord(answer.mutated)) value = answer.mutated;
  }
  return { kind: "passed", value };
}

function isAbout({ on, tools, except }: ReadyFilter, { server, on: side }: ServerData): boolean {
  const names = (list: NameList, parts: readonly string[]): boolean =>
    list.value.some(({ value }) =>
      parts.some((part) => (part.endsWith("/") ? value.startsWith(part) : value === part)),
    );
  if (!on.includes(side) || (except !== null && names(except, [server, `${server}/*`, "*"]))) return false;
  return tools === null || names(tools, [server, `${server}/`, "*", "*/"]);
}
