import type { ErrorObject, ValidateFunction } from "ajv";
import { RE2JS } from "re2js";
import { type Eventual, known, runStage, type Stage } from "../../core/call/eventual.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { asksForTheRest, MAX_SCHEMA_WEIGHT, schemaWeight } from "../../core/schema/schema-weight.ts";
import { type Bound, boundChecking, TOO_MUCH } from "./bound-checking.ts";
import type { Args } from "./read-arguments.ts";

/** Checks arguments against input schemas. Each schema is compiled when its tool is first called. */
export interface Validator {
  /** What is wrong, for the model to correct; null if nothing is. */
  check(signature: string, schema: unknown, args: Args): Eventual<string | null>;
}

const MOST_COMPILED = 500;
const MOST_PROBLEMS = 8;
const ENDLESS = "it takes too long to hold this against the tool's own schema, which leads into itself too often";

type Compiled = { readonly validate: ValidateFunction; readonly bound: Bound } | { readonly problem: string };

export function createValidator(most = MOST_COMPILED): Validator {
  // Two generations: when the younger is full, what was not used since the last time is forgotten.
  let young = new Map<string, Compiled>();
  let old: ReadonlyMap<string, Compiled> = new Map();
  const keep = (signature: string, known: Compiled): Compiled => {
    if (young.size >= most / 2) [old, young] = [young, new Map()];
    young.set(signature, known);
    return known;
  };
  const find = (signature: string): Compiled | undefined => {
    const older = young.has(signature) ? undefined : old.get(signature);
    return older === undefined ? young.get(signature) : keep(signature, older);
  };
  const checkFirst = function* (signature: string, schema: object, args: Args): Stage<string | null> {
    const kinds = yield* known(compiler ?? loadCompiler());
    return hold(args, find(signature) ?? keep(signature, compile(schema, kinds)));
  };
  return {
    check(signature, schema, args) {
      if (typeof schema !== "object" || schema === null) return null;
      const compiled = find(signature);
      return compiled === undefined ? runStage(checkFirst(signature, schema, args)) : hold(args, compiled);
    },
  };
}

function hold(args: Args, compiled: Compiled): string | null {
  if ("problem" in compiled) return compiled.problem;
  compiled.bound.restart();
  try {
    if (compiled.validate(args)) return null;
  } catch (error) {
    // Endless or too deep recursion runs out of stack.
    if (error === TOO_MUCH || error instanceof RangeError) return ENDLESS;
    throw error;
  }
  return describe(compiled.validate.errors ?? []);
}

interface Compiler {
  readonly Ajv: typeof import("ajv").Ajv;
  readonly Ajv2020: typeof import("ajv/dist/2020.js").Ajv2020;
  readonly write: typeof import("ajv")._;
}

let compiler: Compiler | null = null;

async function loadCompiler(): Promise<Compiler> {
  // With bundlers that split code, only the default export of such a module is available.
  const { Ajv, _: write } = (await import("ajv")).default;
  const { Ajv2020 } = (await import("ajv/dist/2020.js")).default;
  compiler = { Ajv, Ajv2020, write };
  return compiler;
}

/** Above this weight, generating simpler code saves more time than the code takes. */
const HEAVY = 100;
const FOR_HEAVY = { loopEnum: 20, loopRequired: 20 };

/** One instance per schema: two servers may use the same `$id` for different things. Nothing is ever fetched. */
function compile(schema: object, { Ajv, Ajv2020, write }: Compiler): Compiled {
  try {
    const text = JSON.stringify(schema);
    const weight = schemaWeight(schema, text);
    // Compiling blocks everybody, so no schema may take long.
    if (weight > MAX_SCHEMA_WEIGHT) return { problem: unusable("it is too large") };
    const isHeavy = weight > HEAVY;
    const old = /draft-0[4-7]/.test(String(Reflect.get(schema, "$schema") ?? ""));
    const Kind = old ? Ajv : Ajv2020;
    const ajv = new Kind({
      strict: false,
      allErrors: true,
      verbose: true,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      inlineRefs: false,
      logger: false,
      ...(isHeavy ? FOR_HEAVY : {}),
      code: { regExp: toLinearPattern, optimize: !isHeavy },
    });
    // Tracking evaluated parts takes quadratic time, and hardly any schema needs it.
    ajv.opts.unevaluated = asksForTheRest(text);
    const bound = boundChecking(ajv, write);
    return { validate: ajv.compile(schema), bound };
  } catch (error) {
    return { problem: unusable(error instanceof Error ? error.message.slice(0, 200) : "unknown") };
  }
}

/** The beginning of a problem that no other arguments would solve. */
export const UNUSABLE = "the tool's own schema cannot be used";

function unusable(why: string): string {
  return `${UNUSABLE} (${why}), so nothing can be checked against it`;
}

/**
 * Patterns come from servers and the text from models, so they run in linear time; what that engine lacks is not
 * checked.
 */
const toLinearPattern = Object.assign(
  (pattern: string): { test(text: string): boolean; toString(): string } => {
    // The compiler tells patterns apart by what they are as text.
    const asText = { toString: () => pattern };
    try {
      const compiled = RE2JS.compile(pattern);
      return { test: (text) => compiled.matcher(text).find(), ...asText };
    } catch {
      return { test: () => true, ...asText };
    }
  },
  { code: "toLinearPattern" },
);

function describe(errors: readonly ErrorObject[]): string {
  const problems = [...new Set(errors.map(describeOne))];
  const shown = problems.slice(0, MOST_PROBLEMS).join("; ");
  return problems.length > MOST_PROBLEMS ? `${shown}; and ${problems.length - MOST_PROBLEMS} more` : shown;
}

function describeOne({ keyword, instancePath, params, data, message = "is wrong" }: ErrorObject): string {
  const place = instancePath.slice(1, 120).replaceAll("/", ".");
  const at = place === "" ? "" : `"${place}" `;
  if (keyword === "required")
    return `${at === "" ? "" : `${at}: `}the property ${quote(params.missingProperty)} is missing`;
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties")
    return `${at}has no property ${quote(params.additionalProperty ?? params.unevaluatedProperty)}`;
  if (keyword === "enum" && Array.isArray(params.allowedValues))
    return `${at}must be one of ${JSON.stringify(params.allowedValues).slice(0, 300)}${suggest(data, params.allowedValues)}`;
  return `${at}${message.slice(0, 200)}`;
}

/** The allowed values that were probably meant. */
function suggest(given: unknown, allowed: readonly unknown[]): string {
  if (typeof given !== "string") return "";
  const near = nearestNames(
    given,
    allowed.filter((value) => typeof value === "string"),
  );
  return near.length === 0 ? "" : ` (did you mean ${near.join(" or ")}?)`;
}

function quote(name: unknown): string {
  return JSON.stringify(String(name).slice(0, 60));
}
