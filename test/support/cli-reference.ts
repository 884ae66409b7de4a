import { COMMAND_NAMES } from "../../src/surfaces/cli/command-line/commands.ts";
import { formatHelp, toCommandHelp, toProgramHelp } from "../../src/surfaces/cli/help/help-text.ts";

const WIDTH = 100;

const INTRO = `# Command line

Every command with its options, as \`toolcrib help\` and \`toolcrib help COMMAND\` print them. To try one without changing
anything, begin with \`toolcrib list\` and \`toolcrib why TOOL\`.

Answers go to stdout, notices and errors to stderr. With \`--json\`, stdout holds one JSON document and nothing else. An error
is \`{"error":{"code","text","names"?}}\`, with a code from [this table](codes.md).

- **Exit status:** 0 fine; 1 no (hidden, not found, declined); 2 wrong usage; 3 wrong configuration, world or filter.
- **Colour** is used on terminals, unless \`NO_COLOR\` is set; \`FORCE_COLOR\` turns it on elsewhere.
- **Tables** fit the width of a terminal: reasons are cut, names of tools never. Elsewhere nothing is cut.
- **\`--yes\` and \`--timeout\`** work with every command; where nobody is asked or nothing is waited for, they have no effect.
- **A running Toolcrib** of the workspace answers \`list\`, \`why\`, \`search\`, \`check\`, \`call\`, \`doctor\` and \`servers\`, so that no
  server is started twice. \`--fresh\` starts their own.
`;

/** The page `docs/reference/cli.md`, made from the same table as the help texts. */
export function buildCliReference(): string {
  const block = (text: string): string => `\`\`\`\n${text}\`\`\`\n`;
  const sections = COMMAND_NAMES.map((name) => `## ${name}\n\n${block(formatHelp(toCommandHelp(name), WIDTH))}`);
  return [INTRO, block(formatHelp(toProgramHelp(), WIDTH)), ...sections].join("\n");
}
