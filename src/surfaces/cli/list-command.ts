import { toListDocument } from "../../runtime/report/toolset-rows.ts";
import { parseWord } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";
import { answer, loadQuestion } from "./load-question.ts";
import { STANDINGS } from "./options.ts";

/** `toolcrib list`: the toolset for a scene. */
export async function runList(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const wanted = args.value("standing");
  const only = wanted === null ? null : parseWord("--standing", wanted, STANDINGS);
  const answered = answer(await loadQuestion(input), log);
  const shown = answered.toolset.placements.filter(({ standing }) => only === null || standing === only);
  if (args.has("json")) {
    io.out(toJson(toListDocument(answered, shown), io.isTTY));
    return 0;
  }
  const { formatToolset } = await import("./toolset-text.ts");
  io.out(formatToolset(answered.toolset, shown, io));
  log.notices(answered.notices);
  return 0;
}
