import type { CommandSpec } from "../command-line/command-spec.ts";
import { COMMAND_NAMES, COMMANDS, type CommandName } from "../command-line/commands.ts";
import { OPTIONS } from "../command-line/options.ts";
import { widthOf, wrapText } from "../terminal/text-width.ts";

/** Help as data; the text for people, the JSON and the reference page are all made from it. */
export interface Help {
  readonly usage: string;
  readonly about: readonly string[];
  readonly commands: readonly HelpLine[];
  readonly options: readonly HelpLine[];
  readonly examples: readonly string[];
}

interface HelpLine {
  readonly name: string;
  readonly text: string;
}

export function toProgramHelp(): Help {
  return {
    usage: "toolcrib [COMMAND] [OPTIONS]",
    about: [
      "Gives each run of an agent exactly the tools it should have, and says why.",
      "Without a command it runs up: the gateway and the inspector on this machine.",
      "Exit status: 0 fine; 1 no, hidden or not found; 2 wrong usage; 3 something wrong in a configuration or file.",
    ],
    commands: COMMAND_NAMES.map((name) => {
      const { summary, operands } = COMMANDS[name];
      return { name: [name, ...operands].join(" "), text: summary };
    }),
    options: describeOptions(COMMANDS.up),
    examples: ["toolcrib", "toolcrib why bash", "toolcrib help why"],
  };
}

export function toCommandHelp(name: CommandName): Help {
  const { summary, operands, about, examples } = COMMANDS[name];
  return {
    usage: ["toolcrib", name, ...operands, "[OPTIONS]"].join(" "),
    about: [`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, ...about],
    commands: [],
    options: describeOptions(COMMANDS[name]),
    examples,
  };
}

export function formatHelp({ usage, about, commands, options, examples }: Help, columns: number): string {
  const width = Math.max(40, columns);
  const sections = [
    [`Usage: ${usage}`],
    about.flatMap((paragraph) => wrapText(paragraph, width)),
    formatLines("Commands:", commands, width),
    formatLines("Options:", options, width),
    examples.length === 0 ? [] : ["Examples:", ...examples.map((example) => `  ${example}`)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function describeOptions({ options, meanings = {} }: CommandSpec): readonly HelpLine[] {
  return options.map((name) => {
    const { value, repeats, text: usual } = OPTIONS[name];
    const text = meanings[name] ?? usual;
    return {
      name: `${name === "help" ? "-h, " : ""}--${name}${value === null ? "" : ` ${value}`}`,
      text: repeats ? `${text}; may be repeated` : text,
    };
  });
}

/** Names beyond this share of the width stand on a line of their own, so that what is said about them has room. */
const MOST_NAME = 0.4;

function formatLines(heading: string, lines: readonly HelpLine[], width: number): readonly string[] {
  if (lines.length === 0) return [];
  const widest = Math.max(...lines.map(({ name }) => widthOf(name)));
  const indent = Math.min(widest, Math.floor(width * MOST_NAME)) + 4;
  return [
    heading,
    ...lines.flatMap(({ name, text }) => {
      const said = wrapText(text, Math.max(20, width - indent)).map((part) => `${" ".repeat(indent)}${part}`);
      const [first = "", ...rest] = said;
      if (widthOf(name) > indent - 4) return [`  ${name}`, ...said];
      return [`  ${name.padEnd(indent - 2)}${first.slice(indent)}`, ...rest];
    }),
  ];
}
