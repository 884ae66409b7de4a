import type { CommandInput } from "./command.ts";
import { runList } from "./list-command.ts";

const NEXT = `
Next: toolcrib why bash             every reason for one tool, and what to change
      toolcrib diff base mode=plan  what another scene would change
      toolcrib help                 all commands
`;

/** Bare `toolcrib`: the toolset, and where to go from there. */
export async function runStart(input: CommandInput): Promise<number> {
  const status = await runList(input);
  if (status === 0 && !input.args.has("json")) input.io.out(NEXT);
  return status;
}
