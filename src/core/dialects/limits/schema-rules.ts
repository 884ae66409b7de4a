import type { SizeLimits } from "../../schema/schema-size.ts";

/** The part of JSON Schema that a provider accepts, as data. */
export interface SchemaRules {
  /** Keywords that may be sent; null takes all of draft 2020-12. Other limits of a value go into its description. */
  readonly keywords: ReadonlySet<string> | null;
  /** `defs` keeps references to definitions, `inline` copies their targets. */
  readonly refs: "defs" | "inline";
  /** Whether `anyOf`, `oneOf`, `allOf`, `enum` and `not` are allowed at the root. */
  readonly rootCombinators: boolean;
  /** Property names that may be sent; others are renamed, and restored in arguments. Null for all. */
  readonly propertyNames: RegExp | null;
  readonly arraysNeedItems: boolean;
  /** `anyOf` may have no keyword beside it, not even a description. */
  readonly loneAnyOf: boolean;
  /** `strings` turns other values of an enum into text; arguments are restored. */
  readonly enums: "any" | "strings";
  /** Every schema states its type. */
  readonly typed: boolean;
  /** Every object is closed, and tools whose objects are open cannot be strict. */
  readonly closed: boolean;
  /** Every property is required; an optional one may be null instead, which becomes absent again in arguments. */
  readonly allRequired: boolean;
  /** Whether a definition may contain itself. */
  readonly recursion: boolean;
  /** Null if there is no known limit; a tool above it cannot be strict. */
  readonly size: SizeLimits | null;
}

const OPEN = {
  keywords: null,
  refs: "defs",
  rootCombinators: true,
  propertyNames: null,
  arraysNeedItems: false,
  loneAnyOf: false,
  enums: "any",
  typed: false,
  closed: false,
  allRequired: false,
  recursion: true,
  size: null,
} as const satisfies SchemaRules;

const CORE = ["type", "properties", "required", "items", "enum", "anyOf", "description", "title", "format"];

/** Anthropic: any draft 2020-12, no combinator at the root, and a pattern for the names of properties. */
const ANTHROPIC = {
  ...OPEN,
  rootCombinators: false,
  propertyNames: /^[a-zA-Z0-9_.-]{1,64}$/,
} as const satisfies SchemaRules;

const ANTHROPIC_STRICT = {
  ...ANTHROPIC,
  keywords: new Set([...CORE, "additionalProperties", "const", "default"]),
  refs: "inline",
  closed: true,
  recursion: false,
} as const satisfies SchemaRules;

/** OpenAI: an object at the root without combinators, and arrays with `items`. */
const OPENAI = { ...OPEN, rootCombinators: false, arraysNeedItems: true } as const satisfies SchemaRules;

const OPENAI_STRICT = {
  ...OPENAI,
  keywords: new Set([
    ...[...CORE, "additionalProperties", "const", "$ref", "$defs", "pattern", "multipleOf"],
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"],
  ]),
  closed: true,
  allRequired: true,
  size: { properties: 5_000, levels: 10, choices: 1_000, characters: 120_000 },
} as const satisfies SchemaRules;

/** Gemini: the intersection of its `Schema` type and JSON Schema, so that every endpoint understands it. */
const GEMINI = {
  keywords: new Set([...CORE, "minimum", "maximum", "minItems", "maxItems"]),
  refs: "inline",
  rootCombinators: false,
  propertyNames: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
  arraysNeedItems: true,
  loneAnyOf: true,
  enums: "strings",
  typed: true,
  closed: false,
  allRequired: false,
  recursion: false,
  size: null,
} as const satisfies SchemaRules;

export const SCHEMA_RULES = {
  open: OPEN,
  anthropic: ANTHROPIC,
  anthropicStrict: ANTHROPIC_STRICT,
  openai: OPENAI,
  openaiStrict: OPENAI_STRICT,
  gemini: GEMINI,
} as const satisfies Record<string, SchemaRules>;

/** Keywords that bound a value: if they cannot be sent, the description states them. */
export const DESCRIBED_KEYWORDS: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"],
  ...["format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "default", "const", "not"],
  ...["propertyNames", "patternProperties", "dependentRequired", "contentEncoding", "contentMediaType"],
]);

/** Formats that are sent to a provider that accepts only some; others go into the description. */
export const COMMON_FORMATS: ReadonlySet<string> = new Set(["date-time", "date", "time", "duration"]);

/** Keywords that belong to one type, for splitting a list of types into alternatives. */
export const KEYWORDS_OF_TYPE: ReadonlyMap<string, readonly string[]> = new Map([
  ["string", ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ["integer", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"]],
  [
    "object",
    [
      "properties",
      "required",
      "additionalProperties",
      "patternProperties",
      "propertyNames",
      "minProperties",
      "maxProperties",
    ],
  ],
  ["boolean", []],
  ["null", []],
]);
