import { isBuiltin } from "../../../core/tool/tool.ts";
import type { Placement, Toolset } from "../../../core/toolset/toolset.ts";
import { toListText } from "../../../runtime/report/list-text.ts";
import { toListDocument } from "../../../runtime/report/toolset-rows.ts";
import { escapeJson, toJson } from "../../../system/text/escape-text.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { STANDINGS } from "../command-line/options.ts";
import { formatClient } from "./for-client.ts";
import { answer, loadQuestion } from "./load-question.ts";

/** A person who has just seen the page of an `up` without configuration would wonder. */
const WITHOUT_CONFIGURATION =
  'There is no configuration here, so these are all the built-in tools. "toolcrib up" then offers those that only read, ' +
  'beside the servers of other products or a sample. "toolcrib init" writes a configuration.\n';

/** `toolcrib list`: the toolset for a scene. */
export async function runList(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const wanted = args.value("standing");
  const only = wanted === null ? null : parseWord("--standing", wanted, STANDINGS);
  const question = await loadQuestion(input);
  const answered = answer(question, log);
  const shown = answered.toolset.placements.filter(({ standing }) => only === null || standing === only);
  if (args.has("json")) {
    io.out(io.isTTY ? toJson(toListDocument(answered, shown), true) : escapeJson(toListText(answered, shown)));
    return 0;
  }
  const { formatToolset } = await import("./toolset-text.ts");
  const folded = only === null ? offByNature(answered.toolset) : new Set<Placement>();
  const rows = shown.filter((placement) => !folded.has(placement));
  io.out(formatToolset(answered.toolset, rows, io, question.past));
  if (folded.size > 0)
    io.out(`${describeOff(answered.toolset.scene.builtins.setting, folded.size, question.past !== undefined)}\n`);
  io.out(formatClient(answered.toolset));
  log.notices(answered.notices);
  if (io.errIsTTY && question.config?.files.length === 0 && question.scene.client === null)
    io.err(WITHOUT_CONFIGURATION);
  return 0;
}

/** Where built-in tools are off as a whole, nobody looks for them among their own; `--standing hidden` lists them. */
function offByNature({ placements, scene }: Toolset): ReadonlySet<Placement> {
  if (scene.builtins.which !== "off") return new Set();
  return new Set(placements.filter(({ entry, standing }) => standing === "hidden" && isBuiltin(entry.tool)));
}

function describeOff(setting: string, count: number, isPast: boolean): string {
  const which =
    count === 1 ? `1 built-in tool ${isPast ? "was" : "is"}` : `${count} built-in tools ${isPast ? "were" : "are"}`;
  return `${which} off here (${setting}) and not listed above; --standing hidden lists them too.`;
}
