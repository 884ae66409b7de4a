import { nearestNames } from "../codes/nearest-name.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { isRecord } from "../shape/is-record.ts";
import { coerceArguments, isZodPart } from "./coerce-arguments.ts";
import type { Handler } from "./handler.ts";
import type { ArgumentsOf } from "./infer-arguments.ts";
import { toInputSchema } from "./input-schema.ts";
import { isStandardSchema, type Parsed, parseWith } from "./standard-schema.ts";
import { type Deferral, INTERNAL_MARKS, type InternalMark, type Tool, toTool } from "./tool.ts";
import { isTrait, TRAIT_NAMES, type Traits } from "./traits.ts";

/** The definition of a host program's own tool. */
export interface ToolOptions<Parameters extends object | undefined> {
  /** What the model reads to decide when and how to call the tool. */
  readonly description: string;
  /** An identifier for lists, apart from its name. */
  readonly id?: string;
  /** A Zod schema, or a JSON Schema of type object; absent for a tool without arguments. */
  readonly parameters?: Parameters;
  /** Runs a call: gets its arguments and its context. */
  readonly handler: Handler<ArgumentsOf<Parameters>>;
  /** The name that people see. */
  readonly title?: string;
  /** What it promises about its effects; what is not stated counts as the riskier value. */
  readonly traits?: Partial<Traits>;
  /** Further names for lists. */
  readonly aliases?: readonly string[];
  /** Requests that it answers, in users' words: they help a search to find it. */
  readonly examples?: readonly string[];
  /** Its group, for `toolGroups`. */
  readonly group?: string;
  /** Whether it may wait behind `tool_search`; `auto` if absent. */
  readonly defer?: Deferral;
  /** The feature flag without which it is not offered. */
  readonly feature?: string;
  /** Who alone may use it: agents below the top level, those that direct others, or those that name it. */
  readonly internal?: InternalMark;
  /** What it needs from the host or the model, such as `vision`; without it the tool is hidden. */
  readonly requires?: readonly string[];
  /** It openly replaces the built-in tool of its name. */
  readonly overridesBuiltInTool?: boolean;
  /** Its calls run without a question, unless a rule says otherwise. */
  readonly skipPermission?: boolean;
  /** A successful call ends the run: the model is not asked again. */
  readonly isTerminal?: boolean;
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** How a model should use it: a prompt section while the tool is visible. */
  readonly instructions?: string;
}

/** A tool and, separate from it, the code that runs it. Without `Args`: any defined tool, as in lists. */
export interface DefinedTool<Args = never> {
  readonly tool: Tool;
  readonly handler: Handler<Args>;
  /** Validates arguments and fills in defaults; present if `parameters` is a schema that can do so. */
  readonly parse?: (value: unknown) => Promise<Parsed>;
  /** Converts values that the schema would convert, so that the converted values are judged. */
  readonly coerce?: (args: unknown) => unknown;
}

/** Defines a tool that the host itself runs. Throws `tool.invalid` with what to change. */
export function defineTool<const Parameters extends object | undefined = undefined>(
  name: string,
  options: ToolOptions<Parameters>,
): DefinedTool<ArgumentsOf<Parameters>> {
  checkName(name);
  checkOptions(name, options);
  const { parameters, handler, ...said } = options;
  const input = toInputSchema(parameters);
  if (!input.ok) refuse(name, input.advice);
  const copy = (list: readonly string[] | null = null) => [...(list ?? [])];
  const lists = { aliases: copy(said.aliases), examples: copy(said.examples), requires: copy(said.requires) };
  const tool = toTool({ ...said, ...lists, name, source: "external", inputSchema: input.schema });
  if (!parameters || !isStandardSchema(parameters)) return { tool, handler };
  const parsed = { tool, handler, parse: (value: unknown) => parseWith(parameters, value) };
  return isZodPart(parameters) ? { ...parsed, coerce: (args) => coerceArguments(args, parameters) } : parsed;
}

function checkName(name: unknown): asserts name is string {
  if (typeof name === "string" && name !== "") return;
  throw new ToolcribError(
    "tool.invalid",
    'defineTool needs a name first: defineTool("my_tool", { description, handler })',
  );
}

const isString = (value: unknown) => typeof value === "string";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isStrings = (value: unknown) => Array.isArray(value) && value.every(isString);

/** Checks for callers without a type checker. */
const CHECKS: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  description: [isString, "a string"],
  title: [isString, "a string"],
  traits: [isTraits, `an object of ${TRAIT_NAMES.join(", ")}`],
  aliases: [isStrings, "a list of strings"],
  examples: [isStrings, "a list of strings"],
  group: [isString, "a string"],
  defer: [(value) => value === "auto" || value === "never", '"auto" or "never"'],
  feature: [isString, "a string"],
  id: [(value) => isString(value) && value !== "", "a string"],
  internal: [
    (value) => INTERNAL_MARKS.some((mark) => mark === value),
    INTERNAL_MARKS.map((mark) => JSON.stringify(mark)).join(" or "),
  ],
  requires: [isStrings, "a list of strings"],
  overridesBuiltInTool: [isBoolean, "true or false"],
  skipPermission: [isBoolean, "true or false"],
  isTerminal: [isBoolean, "true or false"],
  timeout: [(value) => typeof value === "number" && value > 0, "a number of milliseconds above 0"],
  instructions: [isString, "a string"],
};

function checkOptions(name: string, options: unknown): void {
  if (typeof options !== "object" || options === null)
    refuse(name, "pass { description, parameters, handler } after its name");
  checkKeys(name, options);
  if (typeof Reflect.get(options, "handler") !== "function")
    refuse(name, "its handler must be a function (args, invocation) => result");
  for (const [key, [isRight, expected]] of Object.entries(CHECKS)) {
    const value: unknown = Reflect.get(options, key);
    if (value !== undefined && value !== null && !isRight(value)) refuse(name, `its ${key} must be ${expected}`);
  }
}

function checkKeys(name: string, options: object): void {
  // A schema under another library's option name would be ignored, and nothing would check arguments.
  const known = [...Object.keys(CHECKS), "parameters", "handler"];
  const strange = Object.keys(options).find((key) => !known.includes(key));
  if (strange === undefined) return;
  const meant = OTHER_NAMES.get(strange) ?? nearestNames(strange, known, 1)[0];
  const hint = meant === undefined ? `its options are ${known.join(", ")}` : `did you mean ${meant}?`;
  refuse(name, `${JSON.stringify(strange.slice(0, 60))} is no option; ${hint}`);
}

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["inputSchema", "parameters"],
  ["input_schema", "parameters"],
  ["schema", "parameters"],
  ["execute", "handler"],
  ["run", "handler"],
]);

function isTraits(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const isRight = ([name, trait]: [string, unknown]) => trait === undefined || isTrait(name, trait);
  return Object.entries(value).every((entry) => TRAIT_NAMES.includes(entry[0]) && isRight(entry));
}

function refuse(name: string, advice: string): never {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  throw new ToolcribError("tool.invalid", `the tool ${shown} cannot be defined: ${advice}`, { names: [name] });
}
