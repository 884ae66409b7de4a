import { ArgumentProblem, textArgument } from "./arguments.ts";
import { create } from "./create.ts";
import { edit } from "./edit.ts";
import type { FileTool } from "./file-handler.ts";
import { insert } from "./insert.ts";
import { view } from "./view.ts";

/**
 * `str_replace_based_edit_tool`: the file tools as commands of one tool, under the names that models were trained on.
 */
export const editor: FileTool = async (args, files) => {
  const command = textArgument(args, "command");
  const run = COMMANDS.get(command);
  if (run === undefined) throw new ArgumentProblem(`"command" must be one of ${[...COMMANDS.keys()].join(", ")}.`);
  return run(args, files);
};

const COMMANDS: ReadonlyMap<string, FileTool> = new Map<string, FileTool>([
  ["view", view],
  ["create", (args, files) => create({ ...args, content: textArgument(args, "file_text") }, files)],
  // Without a new text, the old one is deleted.
  ["str_replace", (args, files) => edit({ new_str: "", ...args }, files)],
  ["insert", insert],
]);
