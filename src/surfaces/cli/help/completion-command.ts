import { listValues } from "../../../config/shape/list-values.ts";
import { BUILTIN_TOOLS } from "../../../sources/builtin/definitions.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { buildCompletion } from "./completion-scripts.ts";
import { ASKED, type CompletionKind, SHELLS } from "./completion-values.ts";

/** A shell must never read more than a word into a name that a stranger made up. */
const SAFE = /^[A-Za-z0-9_@.][\w@./:[\]-]*$/;

/** `toolcrib completion SHELL` prints its script; `completion values KIND` is what that asks for while somebody types. */
export async function runCompletion(input: CommandInput): Promise<number> {
  const [word = "", what] = input.args.operands;
  if (word !== "values") {
    const shell = parseWord("the shell", word, SHELLS);
    if (what !== undefined)
      throw usage(`toolcrib completion ${shell} takes nothing else; found ${JSON.stringify(what)}`);
    const script = buildCompletion(shell);
    printAnswer(input, { shell, script }, () => script);
    return 0;
  }
  const values = await loadValues(input, parseWord("what to list", what ?? "", ASKED));
  const safe = [...new Set(values)].filter((value) => SAFE.test(value)).sort();
  printAnswer(input, { values: safe }, () => safe.map((value) => `${value}\n`).join(""));
  return 0;
}

/** From files alone: nobody waits for a server to complete a word. */
async function loadValues(input: CommandInput, asked: CompletionKind): Promise<readonly string[]> {
  const config = await loadAsked({ ...input, io: { ...input.io, err: () => undefined } }, NO_OVERRIDES);
  const servers = [...config.servers.keys()];
  switch (asked) {
    case "agents":
      return [...config.agents.keys()];
    case "servers":
      return servers;
    case "tools": {
      const pinned = config.lock?.lock?.tools.keys() ?? [];
      return [...BUILTIN_TOOLS.map(({ name }) => name), ...pinned, ...servers];
    }
    case "keys":
      return listValues(config).flatMap(({ path }) => {
        const parts = path.replace(/\[\d+\].*$/, "").split(".");
        return parts.map((_, at) => parts.slice(0, at + 1).join("."));
      });
  }
}
