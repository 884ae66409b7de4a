import { parseArgs } from "node:util";
import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { CommandSpec } from "./command-spec.ts";
import { COMMAND_NAMES, COMMANDS, type CommandName, isCommandName } from "./commands.ts";
import { isOptionName, OPTIONS, type OptionName, TAKEN_EVERYWHERE } from "./options.ts";

/** A command line, checked against the table of commands. */
export interface Arguments {
  /** Null: none was named. */
  readonly command: CommandName | null;
  readonly operands: readonly string[];
  /** The operands behind `--`, which are among `operands` too. */
  readonly behindDashes: readonly string[];
  has(name: OptionName): boolean;
  value(name: OptionName): string | null;
  /** Each value of an option that may be repeated, as written. */
  values(name: OptionName): readonly string[];
  /** Every item of an option that takes a comma separated list; null when it was not given. */
  list(name: OptionName): readonly string[] | null;
}

/** Throws `usage.invalid` with what to write instead. Options may stand before or behind the command. */
export function parseCommandLine(argv: readonly string[]): Arguments {
  const [own, foreign] = splitForeign(argv);
  const tokens = toTokens(own);
  const operands: string[] = [];
  const behindDashes: string[] = [];
  let isBehind = false;
  const given = new Map<OptionName, string[]>();
  for (const token of tokens) {
    if (token.kind === "option-terminator") isBehind = true;
    if (token.kind === "positional") {
      operands.push(token.value);
      if (isBehind) behindDashes.push(token.value);
    }
    if (token.kind !== "option") continue;
    const name = toOptionName(token.name, token.rawName, operands);
    const values = given.get(name) ?? [];
    given.set(name, values);
    if (OPTIONS[name].value === null) {
      if (token.value !== undefined) throw usage(`${token.rawName} takes no value`);
      continue;
    }
    values.push(checkValue(name, token.value, token.inlineValue === true));
    if (values.length > 1 && !OPTIONS[name].repeats) throw usage(`--${name} is given twice; give it once`);
  }
  operands.push(...foreign);
  behindDashes.push(...foreign);
  const command = parseCommand(operands.shift() ?? null);
  if (!given.has("help") && !given.has("version")) checkFit(command, operands, [...given.keys()]);
  return {
    command,
    operands,
    behindDashes: behindDashes.slice(-operands.length || behindDashes.length),
    values: (name) => given.get(name) ?? [],
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.[0] ?? null,
    list: (name) => given.get(name)?.flatMap(splitList) ?? null,
  };
}

export function usage(text: string, names: readonly string[] = []): ToolcribError {
  return new ToolcribError("usage.invalid", text, { names });
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** One of a closed list of words, or `usage.invalid` with the nearest. */
export function parseWord<const T extends string>(what: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  const [nearest] = nearestNames(text, words, 1);
  const advice = nearest === undefined ? `it is one of ${words.join(", ")}` : `did you mean "${nearest}"?`;
  throw usage(`${what} cannot be ${JSON.stringify(text)}; ${advice}`, nearest === undefined ? [] : [nearest]);
}

function parserOptions() {
  const types = Object.entries(OPTIONS).map(([name, { value }]) => [
    name,
    { type: value === null ? "boolean" : "string", ...(name === "help" ? { short: "h" } : {}) } as const,
  ]);
  return Object.fromEntries(types);
}

function toTokens(argv: readonly string[]) {
  const options = parserOptions();
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** Where a command takes the words of another command line, those begin at its first word and are left as they are. */
function splitForeign(argv: readonly string[]): readonly [own: readonly string[], foreign: readonly string[]] {
  let command: CommandSpec | null = null;
  let seen = 0;
  for (const token of toTokens(argv)) {
    if (token.kind === "option-terminator") break;
    if (token.kind !== "positional") continue;
    if (command === null) {
      if (!isCommandName(token.value)) break;
      command = COMMANDS[token.value];
    } else {
      const operand = command.operands[seen];
      // A whole line in quotes is complete: what follows it is ours.
      if (operand?.startsWith("[WORDS"))
        return /\s/.test(token.value) ? [argv, []] : [argv.slice(0, token.index), argv.slice(token.index)];
      seen++;
    }
  }
  return [argv, []];
}

function toOptionName(name: string, raw: string, before: readonly string[]): OptionName {
  if (isOptionName(name)) return name;
  const [command, server, ...words] = before;
  if (command === "add" && words.length > 0)
    throw usage(`put "--" in front of the command: toolcrib add ${server} -- ${[...words, raw].join(" ")} …`);
  const [nearest] = nearestNames(name, Object.keys(OPTIONS), 1);
  const advice = nearest === undefined ? 'see "toolcrib help"' : `did you mean --${nearest}?`;
  throw usage(`there is no option ${raw}; ${advice}`, nearest === undefined ? [] : [`--${nearest}`]);
}

function checkValue(name: OptionName, value: string | undefined, inline: boolean): string {
  if (value === undefined || (!inline && value.length > 1 && value.startsWith("-")))
    throw usage(`--${name} needs a value: --${name} ${OPTIONS[name].value}`);
  return value;
}

export function parseCommand(name: string | null): CommandName | null {
  if (name === null || isCommandName(name)) return name;
  const [nearest] = nearestNames(name, COMMAND_NAMES, 1);
  const advice = nearest === undefined ? "" : `did you mean "${nearest}"? `;
  throw usage(
    `there is no command ${JSON.stringify(name)}; ${advice}"toolcrib help" lists them all`,
    nearest === undefined ? [] : [nearest],
  );
}

function checkFit(command: CommandName | null, operands: readonly string[], given: readonly OptionName[]): void {
  // Without a command it is `up`.
  const spec = COMMANDS[command ?? "up"];
  const shown = command === null ? "toolcrib" : `toolcrib ${command}`;
  const misfit = given.find((name) => !spec.options.includes(name) && !TAKEN_EVERYWHERE.includes(name));
  if (misfit !== undefined) {
    const others = COMMAND_NAMES.filter((name) => COMMANDS[name].options.includes(misfit));
    throw usage(`--${misfit} has no effect on "${shown}"; it is for ${others.join(", ")}`);
  }
  const required = spec.operands.filter((operand) => !operand.startsWith("["));
  const [example] = spec.examples;
  const hint = example === undefined ? "" : `; for example: ${example}`;
  if (operands.length < required.length) {
    throw usage(`${shown} needs ${required.slice(operands.length).join(" and ")}${hint}`);
  }
  const extra = spec.operands.at(-1)?.endsWith("…]") ? undefined : operands[spec.operands.length];
  if (extra !== undefined) throw usage(`${shown} has no use for ${JSON.stringify(extra)}${hint}`);
}
