import { SCHEMA_RULES, type SchemaRules } from "./schema-rules.ts";

/** What a provider accepts, as data: dialects look here instead of branching on their own name. */
export interface DialectLimits {
  readonly names: { readonly pattern: RegExp; readonly maxLength: number };
  /** How many tools may be sent with schemas; null if undocumented. */
  readonly maxTools: number | null;
  /** Maximum characters of a tool's description; the rest moves to the schema's description. */
  readonly maxDescription: number | null;
  readonly schema: SchemaRules;
  /** Null if the provider has no strict mode. */
  readonly strict: StrictLimits | null;
  /** How tools that are not loaded yet stay out of the context. */
  readonly deferral: {
    /** `reference`: definitions are sent, marked as deferred, and loaded by name. `definition`: sent when found. */
    readonly native: "reference" | "definition" | null;
    readonly maxDeferred: number | null;
  };
  /** How many "cached up to here" marks a request may carry; 0 if caching needs none. */
  readonly cacheBreakpoints: number;
  /** Whether each result names its call by id. */
  readonly callIds: "always" | "optional";
}

interface StrictLimits {
  readonly schema: SchemaRules;
  readonly maxTools: number | null;
  /** Total over all strict tools. */
  readonly maxOptional: number | null;
  readonly maxUnions: number | null;
}

const PLAIN_NAMES = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 } as const;
const NO_NATIVE = { native: null, maxDeferred: null } as const;

const OPENAI_STRICT = {
  schema: SCHEMA_RULES.openaiStrict,
  maxTools: null,
  maxOptional: null,
  maxUnions: null,
} as const satisfies StrictLimits;

export const LIMITS = {
  anthropic: {
    names: PLAIN_NAMES,
    maxTools: null,
    maxDescription: null,
    schema: SCHEMA_RULES.anthropic,
    strict: { schema: SCHEMA_RULES.anthropicStrict, maxTools: 20, maxOptional: 24, maxUnions: 16 },
    deferral: { native: "reference", maxDeferred: 10_000 },
    cacheBreakpoints: 4,
    callIds: "always",
  },
  "openai-responses": {
    names: PLAIN_NAMES,
    maxTools: 128,
    maxDescription: null,
    schema: SCHEMA_RULES.openai,
    strict: OPENAI_STRICT,
    deferral: { native: "definition", maxDeferred: null },
    cacheBreakpoints: 0,
    callIds: "always",
  },
  "openai-chat": {
    names: PLAIN_NAMES,
    maxTools: 128,
    maxDescription: 1024,
    schema: SCHEMA_RULES.openai,
    strict: OPENAI_STRICT,
    deferral: NO_NATIVE,
    cacheBreakpoints: 0,
    callIds: "always",
  },
  gemini: {
    names: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, maxLength: 64 },
    maxTools: 512,
    maxDescription: null,
    schema: SCHEMA_RULES.gemini,
    strict: null,
    deferral: NO_NATIVE,
    cacheBreakpoints: 0,
    callIds: "optional",
  },
  "ai-sdk": {
    names: PLAIN_NAMES,
    maxTools: null,
    maxDescription: null,
    schema: { ...SCHEMA_RULES.anthropic, arraysNeedItems: true },
    strict: null,
    deferral: NO_NATIVE,
    cacheBreakpoints: 0,
    callIds: "always",
  },
  mcp: {
    names: { pattern: /^[A-Za-z0-9_.-]{1,128}$/, maxLength: 128 },
    maxTools: null,
    maxDescription: null,
    schema: SCHEMA_RULES.open,
    strict: null,
    deferral: NO_NATIVE,
    cacheBreakpoints: 0,
    callIds: "always",
  },
} as const satisfies Record<string, DialectLimits>;

export type DialectName = keyof typeof LIMITS;
