import type { BinaryResult } from "../../../core/call/tool-result.ts";
import type { PermissionHandler } from "../../../runtime/permissions/permission-request.ts";
import { findExplanations } from "../../../runtime/report/explanation-rows.ts";
import type { McpResult } from "../../../sources/mcp/mcp-result.ts";
import { escapeText, toJson } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readArgumentsOption } from "../command-line/read-arguments-option.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { withSession } from "../servers/live-session.ts";
import { reportOnce } from "../servers/source-reports.ts";
import { BEYOND_SESSION } from "../terminal/permission-question.ts";
import { createTerminalQuestions, type TerminalQuestions } from "../terminal/terminal-questions.ts";

/** `toolcrib call TOOL --args JSON`: one call through every stage. Status 0: it succeeded. */
export async function runCall(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [name = ""] = args.operands;
  const given = await readArgumentsOption(input);
  const config = await loadAsked(input);
  // Lines typed before a question is there answer nothing, and each question has its own answer.
  const questions = io.canAsk && !args.has("yes") ? createTerminalQuestions(io) : null;
  const calls = { onPermissionRequest: () => toHandler(input, questions) };
  return withSession(
    input,
    config,
    async ({ session }) => {
      const known = findExplanations(session.toolset, name, reportOnce(session));
      session.on("session.warning", (notice) => log.notices([{ level: "warning", ...notice }]));
      const result = await session.call(name, given);
      const { wire: _, ...shown }: McpResult = result;
      const { textResultForLlm, resultType, error, binaryResultsForLlm = [] } = shown;
      if (args.has("json")) io.out(toJson({ tool: name, ...shown }, io.isTTY));
      else {
        io.out(
          `${textResultForLlm
            .split(/([\n\t])/)
            .map(escapePiece)
            .join("")}\n`,
        );
        if (binaryResultsForLlm.length > 0)
          io.err(
            `toolcrib: beside the text: ${binaryResultsForLlm.map(describeBinary).join(", ")}; --json prints it\n`,
          );
        if (error !== undefined && error !== textResultForLlm)
          io.err(`toolcrib: ${resultType}: ${escapeText(error)}\n`);
        if (result.code === "permission.no-handler")
          io.err(
            `toolcrib: "toolcrib check ${escapeText(name)}" with the same --args says which rule would allow it; --yes allows it once\n`,
          );
        // A model must not learn of it; the person who typed the name should.
        if (resultType !== "success" && known.every(({ standing }) => standing === "hidden"))
          io.err(`toolcrib: the tool is hidden in this scene: "toolcrib why ${escapeText(name)}" says why\n`);
      }
      return resultType === "success" ? 0 : 1;
    },
    { calls, label: "toolcrib call" },
  ).finally(() => questions?.close());
}

function describeBinary({ type, mimeType, data }: BinaryResult): string {
  return escapeText(`${type} (${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB)`);
}

/** Lines and columns are what a result is laid out with. */
function escapePiece(piece: string): string {
  return piece === "\n" || piece === "\t" ? piece : escapeText(piece);
}

/** Null where nobody can answer: then what no rule covers is denied. */
function toHandler({ args }: CommandInput, questions: TerminalQuestions | null): PermissionHandler | null {
  if (args.has("yes")) return () => ({ decision: "allow", scope: "once" });
  return questions && ((request) => questions.onPermissionRequest(request, BEYOND_SESSION));
}
