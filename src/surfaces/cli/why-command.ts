import { findExplanations, toExplanationRow } from "../../runtime/report/explanation-rows.ts";
import { toClientRow, toNoticeRow } from "../../runtime/report/toolset-rows.ts";
import type { CommandInput } from "./command.ts";
import { escapeText, toJson } from "./escape-text.ts";
import { answer, loadQuestion } from "./load-question.ts";
import { formatExplanations } from "./why-text.ts";

/** `toolcrib why TOOL`: every gate's verdict, and what to change. Status 0 when nothing that was asked for is hidden. */
export async function runWhy(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [name = ""] = args.operands;
  const question = await loadQuestion(input);
  const { toolset, notices } = answer(question, log);
  if (!args.has("json")) log.notices(notices);
  const explanations = findExplanations({ ...toolset, notices }, name, question.sources ?? []);
  if (args.has("json")) {
    const tools = explanations.map(toExplanationRow);
    io.out(toJson({ query: name, ...toClientRow(toolset), tools, notices: notices.map(toNoticeRow) }, io.isTTY));
  } else {
    io.out(formatExplanations(name, explanations, io));
    const { client } = toClientRow(toolset);
    if (client !== undefined) io.out(`The client: ${escapeText(client)}.\n`);
  }
  return explanations.some(({ standing }) => standing === "hidden") ? 1 : 0;
}
