import type { FilterConfig } from "../../config/shape/filter-shape.ts";
import type { Cancelling } from "../../core/call/cancelling.ts";
import { known, runStage, type Stage } from "../../core/call/eventual.ts";
import { reword, type ToolResult } from "../../core/call/tool-result.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Filtered } from "../../core/events/event-types.ts";
import type { FilterSide, FoundKind, Sieve } from "../../core/filters/filter.ts";
import { createSifter, type Sifted, type Sifter } from "../../core/filters/sift.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { serverOf } from "../../core/tool/tool.ts";
import type { Emitter } from "../events/emitter.ts";
import { createCancellation } from "../executor/cancellation.ts";
import type { CallFilters } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { readArguments, toShownArguments } from "../executor/read-arguments.ts";
import { end, go, type Step } from "../executor/step.ts";
import { createValidator, type Validator } from "../executor/validator.ts";
import type { RuledCall, RuleSetting } from "../permissions/ruling.ts";
import { type NamedJudge, type ReadyFilter, readyFilters } from "./compile-filters.ts";
import { askJudge, type JudgeAnswer } from "./outside-judge.ts";
import { refusedCall, withheldResult } from "./refusals.ts";
import { siftResult } from "./sift-result.ts";

/** Whether a name in a filter means the tool of a call. */
type Means = RuleSetting["means"];

export interface CallFilterPorts {
  readonly filters: () => readonly FilterConfig[];
  readonly means: Means;
  readonly validator: Validator;
  readonly sessionId: string;
  readonly emit: Emitter["emit"];
}

/** What is about one call, on one of its two sides. */
interface OwnFilters {
  readonly sieves: readonly Sieve[];
  readonly judges: readonly NamedJudge[];
}

/** Looks through arguments before a call is judged, and through results before anybody reads them. */
export function createCallFilters(ports: CallFilterPorts): CallFilters {
  const ownOf = (prepared: PreparedCall, side: FilterSide): OwnFilters | null => {
    const filters = ports.filters();
    return filters.length === 0 ? null : chooseFilters(readyFilters(filters), prepared, side, ports);
  };
  return {
    arguments(prepared, cancelling) {
      const own = ownOf(prepared, "arguments");
      return own === null ? go(prepared) : runStage(filterArguments(prepared, own, cancelling, ports));
    },
    shown(given) {
      const filters = ports.filters();
      if (filters.length === 0) return toShownArguments(given);
      const sieves = readyFilters(filters).flatMap((filter) => filter.sieves);
      return createSifter(sieves).sift(toShownArguments(given)).value;
    },
    result(prepared, result, cancelling) {
      const own = ownOf(prepared, "results");
      return own === null ? result : runStage(filterResult(prepared, result, own, cancelling, ports));
    },
    passing(prepared) {
      const own = ownOf(prepared, "results");
      if (own === null || own.sieves.length === 0) return null;
      // Masked values have the shape of what was given.
      return <T>(said: T): T => createSifter(own.sieves).sift(said).value as T;
    },
  };
}

/** What filters on this machine would make of a call's arguments; judges are only named. */
export async function foretellFilters<C extends RuledCall>(
  prepared: C,
  { filters, means }: { readonly filters: readonly FilterConfig[]; readonly means: Means },
): Promise<Foretold<C>> {
  const own = filters.length === 0 ? null : chooseFilters(readyFilters(filters), prepared, "arguments", { means });
  if (own === null) return { step: go(prepared), found: [], judges: [] };
  const found: Filtered[] = [];
  const emit: CallFilterPorts["emit"] = (_name, data) => {
    if ("found" in data) found.push(...data.found);
  };
  const ports = { filters: () => filters, means, validator: createValidator(), sessionId: "", emit };
  const step = await runStage(filterArguments(prepared, { ...own, judges: [] }, createCancellation(), ports));
  return { step, found, judges: own.judges.map(({ name }) => name) };
}

interface Foretold<C> {
  readonly step: Step<C>;
  readonly found: readonly Filtered[];
  readonly judges: readonly string[];
}

function chooseFilters(
  filters: readonly ReadyFilter[],
  prepared: RuledCall,
  side: FilterSide,
  { means }: { readonly means: Means },
): OwnFilters | null {
  const isOwn = ({ on, tools, except }: ReadyFilter): boolean =>
    on.includes(side) &&
    (tools === null || tools.value.some(({ value }) => means(value, prepared, "broadly"))) &&
    except?.value.some(({ value }) => means(value, prepared, "first")) !== true;
  const own = filters.filter(isOwn);
  if (own.length === 0) return null;
  return { sieves: own.flatMap(({ sieves }) => sieves), judges: own.flatMap(({ judge }) => judge ?? []) };
}

function* filterArguments<C extends RuledCall>(
  prepared: C,
  { sieves, judges }: OwnFilters,
  cancelling: Cancelling,
  ports: CallFilterPorts,
): Stage<Step<C>> {
  const { entry, tool } = prepared;
  const fits = (args: unknown) => ports.validator.check(entry.signature, tool.inputSchema, asArgs(args));
  const sifter = createSifter(sieves);
  const { value, found } = yield* siftToFit(prepared.args, sifter, fits);
  if (found.length > 0) report(prepared, "arguments", found.map(toFiltered), ports);
  const blocking = found.filter(({ act }) => act === "block");
  if (blocking.length > 0) return end(refusedCall(blocking));
  if (value === UNFIT) return end(refusedCall(found, "without them they would not fit the tool"));
  let now = withArgs(prepared, value);
  for (const judge of judges) {
    const answer = yield* known(askJudge(judge, dataOf(prepared, "arguments", now.args, ports), cancelling));
    const said = yield* heed(answer, judge, fits);
    if (said.filtered !== null) report(prepared, "arguments", [said.filtered], ports);
    if (said.refusal !== null) return end(refusedCall([], said.refusal, said.message));
    if (said.value !== undefined) now = withArgs(prepared, said.value);
  }
  return go(now);
}

function* filterResult(
  prepared: PreparedCall,
  result: ToolResult,
  { sieves, judges }: OwnFilters,
  cancelling: Cancelling,
  ports: CallFilterPorts,
): Stage<ToolResult> {
  const { entry, tool } = prepared;
  const fits = (value: unknown) =>
    result.resultType !== "success" || tool.outputSchema === null
      ? null
      : ports.validator.check(`${entry.signature} results`, tool.outputSchema, asArgs(value));
  const sifted = yield* siftResult(result, createSifter(sieves), (value, sifter) => siftToFit(value, sifter, fits));
  const { found } = sifted;
  if (found.length > 0) report(prepared, "results", found.map(toFiltered), ports);
  const blocking = found.filter(({ act }) => act === "block");
  if (blocking.length > 0) return withheldResult(blocking);
  if (sifted.result === null) return withheldResult(found, "without them it would not be what the tool promises");
  let now = sifted.result;
  for (const judge of judges) {
    const shown = {
      text: now.textResultForLlm,
      ...(now.structured === undefined ? {} : { structured: now.structured }),
    };
    const answer = yield* known(askJudge(judge, dataOf(prepared, "results", shown, ports), cancelling));
    const said = yield* heed(answer, judge, (value) => misfitOfResult(value, fits));
    if (said.filtered !== null) report(prepared, "results", [said.filtered], ports);
    if (said.refusal !== null) return withheldResult([], said.refusal, said.message);
    if (said.value !== undefined) now = withJudged(now, said.value);
  }
  return now;
}

/** What is left fits no schema, in whatever way it is masked. */
const UNFIT = Symbol("unfit");
type Fits = (value: unknown) => ReturnType<Validator["check"]>;

/** Masked so that it still fits: by name, else in the same form; `UNFIT` if neither does. */
function* siftToFit(given: unknown, sifter: Sifter, fits: Fits): Stage<Sifted> {
  const named = sifter.sift(given);
  if (named.value === given || (yield* known(fits(named.value))) === null) return named;
  // A value that never fitted is no reason to hide what is wrong with it.
  if ((yield* known(fits(given))) !== null) return named;
  const shaped = sifter.sift(given, "shaped");
  return (yield* known(fits(shaped.value))) === null ? shaped : { value: UNFIT, found: named.found };
}

interface Heeded {
  readonly filtered: Filtered | null;
  /** Why the call or its result may not pass; null if it may. */
  readonly refusal: string | null;
  readonly message: string | null;
  readonly value?: unknown;
}

/** What follows from a judge's answer. */
function* heed(answer: JudgeAnswer, judge: NamedJudge, misfit: Fits): Stage<Heeded> {
  const { name } = judge;
  if (answer.kind === "failed") return failedJudge(answer.why, judge);
  const { accept, mutated, message, reason } = answer;
  const why = reason === null ? {} : { reason };
  if (!accept) {
    const filtered = { kind: name, count: 1, act: "block", origin: "judge", ...why } as const;
    return { filtered, refusal: `the judge ${name} refuses it`, message };
  }
  if (mutated === undefined) return { filtered: null, refusal: null, message: null };
  const problem = yield* known(misfit(mutated));
  if (problem !== null) return failedJudge("what it changed does not fit", judge);
  const filtered = { kind: name, count: 1, act: "mask", origin: "judge", ...why } as const;
  return { filtered, refusal: null, message: null, value: mutated };
}

function failedJudge(why: string, { name, onFailure }: NamedJudge): Heeded {
  const isBlocked = onFailure === "block";
  const act = isBlocked ? "block" : "note";
  return {
    filtered: { kind: name, count: 1, act, origin: "judge", reason: `the judge failed: ${why}` },
    refusal: isBlocked ? `the judge ${name} has to agree and gave no answer` : null,
    message: null,
  };
}

function misfitOfResult(value: unknown, fits: Fits): ReturnType<Validator["check"]> {
  if (!isRecord(value) || typeof value.text !== "string") return "it has no text";
  return value.structured === undefined ? null : fits(value.structured);
}

/** The judge gives the whole result; what it leaves out is gone. */
function withJudged(result: ToolResult, value: unknown): ToolResult {
  const { structured: _, ...rest } = result;
  const text = isRecord(value) && typeof value.text === "string" ? value.text : "";
  const structured = isRecord(value) ? value.structured : undefined;
  return reword(structured === undefined ? rest : { ...rest, structured }, text);
}

function withArgs<C extends RuledCall>(prepared: C, value: unknown): C {
  if (value === prepared.args) return prepared;
  const read = readArguments(value);
  // What is left of plain arguments is plain.
  return read.kind === "go" ? { ...prepared, args: read.value } : prepared;
}

/** The validator accepts any JSON. */
function asArgs(value: unknown): RuledCall["args"] {
  return value as RuledCall["args"];
}

function dataOf({ call, entry, tool }: RuledCall, on: FilterSide, value: unknown, { sessionId }: CallFilterPorts) {
  return { on, session: sessionId, call: call.id, tool: entry.identity, server: serverOf(tool), value };
}

function toFiltered({ kind, count, act, origin }: FoundKind): Filtered {
  return { kind, count, act, origin: formatOrigin(origin) };
}

function report(
  { call: { id: toolCallId, toolName } }: RuledCall,
  on: FilterSide,
  found: readonly Filtered[],
  { emit }: CallFilterPorts,
): void {
  emit("tool.filtered", { toolCallId, toolName, on, found });
}
