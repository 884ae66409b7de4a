import { COMMANDS, isCommandName } from "../src/surfaces/cli/commands.ts";
import { describeCommand, describeProgram, formatHelp } from "../src/surfaces/cli/help-text.ts";

const WIDTH = 100;

const INTRO = `# Command line

What \`toolcrib help\` and \`toolcrib help COMMAND\` print. A test compares this page with the program;
\`npx vitest run src/surfaces/cli/help.test.ts -u\` writes it anew.

Answers go to stdout, notices and errors to stderr. With \`--json\` stdout holds one JSON document and nothing else, errors
included: \`{"error":{"code","text","names"?}}\`, with the codes of [codes.md](codes.md). Exit status: 0 fine, 1 no (hidden,
not found, declined), 2 wrong usage, 3 wrong configuration, world or filter. Colour is used on terminals, unless \`NO_COLOR\` is set; \`FORCE_COLOR\` turns it on elsewhere.
Tables are cut to the width of a terminal, and whole elsewhere.
Every command takes \`--yes\` and \`--timeout\`; where nobody is asked or nothing is waited for they change nothing.
`;

/** The page `docs/reference/cli.md`, made from the same table as the help texts. */
export function buildCliReference(): string {
  const block = (text: string): string => `\`\`\`\n${text}\`\`\`\n`;
  const sections = Object.keys(COMMANDS)
    .filter(isCommandName)
    .map((name) => `## ${name}\n\n${block(formatHelp(describeCommand(name), WIDTH))}`);
  return [INTRO, block(formatHelp(describeProgram(), WIDTH)), ...sections].join("\n");
}
