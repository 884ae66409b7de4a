import { fileShape } from "../../../config/shape/file-shape.ts";
import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import { isDefined } from "../../../sources/parts/read-definition.ts";
import type { ExecutorLimits } from "../../executor/executor-limits.ts";
import { HOOK_FUNCTIONS } from "../../hooks/hook-types.ts";
import type { RunLimits, RunOptions } from "../../loop/run-types.ts";
import { EFFORTS, WIRE_NAMES } from "../../models/model.ts";
import { isStorable, STORABLE } from "../../store/storable.ts";
import type { SessionCallOptions } from "../calls/session-calls.ts";
import type { SessionOptions } from "./session-options.ts";

/**
 * Refuses what a program passes by mistake and no configuration file could hold: a guard that is misspelt or no function
 * would otherwise be left out without a word. The other keys are checked as those of a file are.
 */
export function checkOptions(options: unknown, call: string): void {
  if (!isRecord(options)) refuse(call, "options", `expects an object of options; found ${kindOf(options)}`);
  for (const key of Object.keys(options))
    if (options[key] !== undefined && !OPTIONS.includes(key) && !isFileKey(key))
      refuse(call, key, `unknown key "${key}"; ${hintFor(key, OPTIONS)}`);
  for (const [key, { is, expected }] of Object.entries(OWN_OPTIONS)) {
    const value = options[key];
    if (value !== undefined && !is(value)) refuse(call, key, `${key} must be ${expected}; found ${kindOf(value)}`);
  }
  if (isRecord(options.hooks)) checkKeys(options.hooks, HOOKS, isFunction, "a function", `${call} hooks`);
  checkWires(options.providers, call);
  if (isRecord(options.limits)) checkKeys(options.limits, LIMITS, isAboveZero, "a number above 0", `${call} limits`);
  if (!Array.isArray(options.tools)) return;
  checkTools(options.tools, call);
  checkHandlers(options.tools, `${call}:`);
}

/** A wire that nobody speaks would fail at the first request, far from where it was given. */
function checkWires(providers: unknown, call: string): void {
  for (const [name, provider] of Object.entries(isRecord(providers) ? providers : {})) {
    const wire = isRecord(provider) ? provider.wire : undefined;
    if (wire === undefined || WIRE_NAMES.some((known) => known === wire)) continue;
    const found = typeof wire === "string" ? JSON.stringify(wire.slice(0, 80)) : kindOf(wire);
    const key = `providers.${name}.wire`;
    refuse(call, key, `${key} must be one of ${WIRE_NAMES.join(", ")}; found ${found}`);
  }
}

/** Refuses a time-out that would end a call before it began. */
export function checkCallOptions(options?: SessionCallOptions): SessionCallOptions | undefined {
  const timeout: unknown = options?.timeout;
  if (timeout === undefined || timeout === null || isAboveZero(timeout)) return options;
  throw new TypeError(`the timeout of a call must be a number of milliseconds above 0; found ${String(timeout)}`);
}

/** Refuses what would leave a run without the limit, the signal or the form that somebody meant to give it. */
export function checkRunOptions(options?: RunOptions): RunOptions | undefined {
  if (options === undefined) return options;
  if (!isRecord(options)) refuse("run", "options", `expects an object of options; found ${kindOf(options)}`);
  checkKeys(options, RUN_OPTIONS, () => true, "", "run");
  if (isRecord(options.limits))
    checkKeys(options.limits, RUN_LIMITS, isCountable, "a number that is not below 0", "run limits");
  return options;
}

/** What a program passes to a model is text; anything else would fail far from where it was given. */
export function checkPrompt(prompt: string, from: "run" | "send"): string {
  if (typeof prompt !== "string") refuse(from, "prompt", `the prompt must be a text; found ${kindOf(prompt)}`);
  return prompt;
}

const RUN_OPTIONS = Object.keys({
  ...{ attachments: true, signal: true, limits: true, messageId: true, before: true, after: true, schema: true },
} satisfies Record<keyof RunOptions, true>);
const RUN_LIMITS = Object.keys({ turns: true, tokens: true, cost: true, time: true } satisfies Record<
  keyof RunLimits,
  true
>);

function isCountable(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

/** Refuses to change what a session takes over only once, unless it stays as it is. */
export function checkChanges(changes: SessionOptions, current: SessionOptions): void {
  for (const key of FIXED_OPTIONS) {
    if (!Object.hasOwn(changes, key) || changes[key] === current[key]) continue;
    refuse(
      "updateOptions",
      key,
      `${key} stays what it was when the session was created; open another session for that`,
    );
  }
}

/** A handler beside the data would never be called: such a tool waits for an answer from elsewhere. */
export function checkHandlers(tools: readonly unknown[], call: string): void {
  const found = tools.find((tool) => !isDefined(tool) && isRecord(tool) && isFunction(tool.handler));
  if (!isRecord(found)) return;
  const name = JSON.stringify(found.name);
  const text = `${call} the tool ${name} has a handler: make it with defineTool(${name}, { description, parameters, handler })`;
  throw new ToolcribError("tool.invalid", text, { names: [String(found.name)] });
}

function checkTools(tools: readonly unknown[], call: string): void {
  const wrong = tools.findIndex((tool) => !isDefined(tool) && !(isRecord(tool) && typeof tool.name === "string"));
  if (wrong === -1) return;
  const found = kindOf(tools[wrong]);
  const text = `tools[${wrong}] must be what defineTool returns, or an object with a name; found ${found}`;
  throw new ToolcribError("tool.invalid", `${call} ${text}`, { names: [`tools[${wrong}]`] });
}

function checkKeys(
  record: Readonly<Record<string, unknown>>,
  known: readonly string[],
  is: (value: unknown) => boolean,
  expected: string,
  where: string,
): void {
  for (const [key, value] of Object.entries(record)) {
    if (!known.includes(key)) refuse(where, key, `unknown key "${key}"; ${hintFor(key, known)}`);
    if (value !== undefined && value !== null && !is(value))
      refuse(where, key, `${key} must be ${expected}; found ${kindOf(value)}`);
  }
}

function hintFor(key: string, known: readonly string[]): string {
  const [nearest] = nearestNames(key, known, 1);
  return nearest === undefined ? `expected one of ${known.join(", ")}` : `did you mean "${nearest}"?`;
}

/** Files have a few keys more, and some under other names; what those hold is checked with the rest. */
function isFileKey(key: string): boolean {
  return Object.hasOwn(fileShape.fields, key);
}

function refuse(call: string, name: string, text: string): never {
  throw new ToolcribError("config.invalid", `${call}: ${text}`, { names: [name], origin: { kind: "call", call } });
}

interface Check {
  readonly is: (value: unknown) => boolean;
  readonly expected: string;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const isText = (value: unknown): boolean => typeof value === "string";
const isAboveZero = (value: unknown): boolean => typeof value === "number" && value > 0;
const orNull = ({ is, expected }: Check): Check => ({
  is: (value) => value === null || is(value),
  expected: `${expected} or null`,
});
const withMethods = (...names: readonly string[]): Check => ({
  // Methods may be inherited, so that instances of classes fit too.
  is: (value) => isRecord(value) && names.every((name) => typeof value[name] === "function"),
  expected: `an object with ${names.join(" and ")}`,
});
const FUNCTION: Check = { is: isFunction, expected: "a function" };
const RECORD: Check = { is: isRecord, expected: "an object" };
const TEXT: Check = { is: isText, expected: "text" };

/** A built-in may do without a question what nobody else may, so only Toolcrib has those. */
const SOURCES = "a list of sources, whose kind is module, skill, mcp, openapi or external";
const isSource = withMethods("list", "run", "changes", "close").is;
const isSourceList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((one) => isSource(one) && KINDS.includes(Reflect.get(one, "kind")) && isText(Reflect.get(one, "name")));
const isStore = withMethods("create", "hold", "read").is;
const KINDS: readonly unknown[] = ["module", "skill", "mcp", "openapi", "external"];

const OWN_OPTIONS = {
  tools: orNull({ is: Array.isArray, expected: "a list of tools" }),
  onPermissionRequest: orNull(FUNCTION),
  hooks: orNull(RECORD),
  classifier: orNull(withMethods("filter")),
  limits: RECORD,
  sources: orNull({ is: isSourceList, expected: SOURCES }),
  onUserInputRequest: orNull(FUNCTION),
  onElicitationRequest: orNull(FUNCTION),
  approvePlan: orNull(FUNCTION),
  memory: orNull(withMethods("store", "recall")),
  reasoningEffort: { is: (value) => EFFORTS.some((one) => one === value), expected: `one of ${EFFORTS.join(", ")}` },
  systemPrompt: TEXT,
  providers: RECORD,
  fetch: FUNCTION,
  modelClient: orNull(withMethods("stream", "watch")),
  promoted: orNull(RECORD),
  tenant: { is: isKeepable, expected: STORABLE },
  usage: orNull(withMethods("load", "save")),
  embedder: orNull(withMethods("embed")),
  lock: orNull(TEXT),
  workspace: orNull(TEXT),
  allowNoTools: { is: (value) => typeof value === "boolean", expected: "true or false" },
  requestedTools: orNull({
    is: (value) => Array.isArray(value) && value.every(isText),
    expected: "a list of names of tools",
  }),
  filterPrecedence: { is: (value) => value === "exclude" || value === "include", expected: '"exclude" or "include"' },
  store: orNull({ is: (value) => isText(value) || isStore(value), expected: "the address of a store, or a store" }),
  sessionId: { is: (value) => isKeepable(value) && value !== "", expected: STORABLE },
  logger: withMethods("error", "debug"),
  signal: withMethods("addEventListener", "removeEventListener"),
} as const satisfies Partial<Record<keyof SessionOptions, Check>>;

/** Only a program has it, and no configuration file could hold it. */
export function isOwnOption(key: string): boolean {
  return Object.hasOwn(OWN_OPTIONS, key);
}

const FILE_OPTIONS = {
  builtins: true,
  mcpServers: true,
  openapi: true,
  extensions: true,
  skillDirectories: true,
  disabledSkills: true,
  skillToolPolicy: true,
  customAgents: true,
  agent: true,
  sidekick: true,
  defaultAgent: true,
  availableTools: true,
  excludedTools: true,
  toolGroups: true,
  toolsets: true,
  toolOverrides: true,
  features: true,
  model: true,
  models: true,
  mode: true,
  permissions: true,
  sandbox: true,
  search: true,
  code: true,
  toolSearch: true,
  wireNames: true,
  memoryServer: true,
  checks: true,
} as const satisfies Record<Exclude<keyof SessionOptions, keyof typeof OWN_OPTIONS>, true>;

const OPTIONS: readonly string[] = [...Object.keys(OWN_OPTIONS), ...Object.keys(FILE_OPTIONS)];

const HOOKS: readonly string[] = Object.values(HOOK_FUNCTIONS);
const LIMITS: readonly (keyof ExecutorLimits)[] = ["timeout", "resultBytes", "computing"];

const FIXED_OPTIONS = [
  "limits",
  "onUserInputRequest",
  "onElicitationRequest",
  "approvePlan",
  "memory",
  "promoted",
  "tenant",
  "usage",
  "embedder",
  "search",
  "workspace",
  "store",
  "sessionId",
  "logger",
  "signal",
] as const satisfies readonly (keyof SessionOptions)[];

function isKeepable(value: unknown): boolean {
  return typeof value === "string" && isStorable(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object of another shape" : `a ${typeof value}`;
}
