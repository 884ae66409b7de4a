import type { BinaryResult } from "../../core/call/tool-result.ts";
import { toShownName } from "../../core/catalog/shown-name.ts";
import {
  describeLine,
  type PermissionAnswer,
  type PermissionHandler,
  type PermissionRequest,
} from "../../runtime/permissions/permission-request.ts";
import { findExplanations } from "../../runtime/report/explanation-rows.ts";
import { toChangedLines, withoutChange } from "../../runtime/report/file-change.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";
import { escapeText, toJson } from "../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";
import { withSession } from "./live-session.ts";
import { loadAsked } from "./load-asked.ts";
import { readArgumentsOption } from "./read-arguments-option.ts";
import { reportOnce } from "./source-reports.ts";

/** `toolcrib call TOOL --args JSON`: one call through every stage. Status 0: it succeeded. */
export async function runCall(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [name = ""] = args.operands;
  const given = await readArgumentsOption(input);
  const config = await loadAsked(input);
  const calls = { onPermissionRequest: () => toHandler(input) };
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
        // A model must not learn of it; whoever typed the name should.
        if (resultType !== "success" && known.every(({ standing }) => standing === "hidden"))
          io.err(`toolcrib: the tool is hidden in this scene: "toolcrib why ${escapeText(name)}" says why\n`);
      }
      return resultType === "success" ? 0 : 1;
    },
    { calls, label: "toolcrib call" },
  );
}

function describeBinary({ type, mimeType, data }: BinaryResult): string {
  return escapeText(`${type} (${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB)`);
}

/** Lines and columns are what a result is laid out with. */
function escapePiece(piece: string): string {
  return piece === "\n" || piece === "\t" ? piece : escapeText(piece);
}

/** Null where nobody can answer: then what no rule covers is denied. */
function toHandler({ io, args }: CommandInput): PermissionHandler | null {
  if (args.has("yes")) return () => ({ decision: "allow", scope: "once" });
  if (!io.canAsk) return null;
  return async (request) => {
    io.err(describeRequest(request));
    return readAnswer(await io.readInput("line"), request);
  };
}

/** Everything a person needs to decide: what, which parts, why, and what would be kept. */
export function describeRequest(request: PermissionRequest): string {
  const { toolName, toolArgs, kind, parts, reason, origin, source, suggestions } = request;
  const line = describeLine(request);
  const shown = source.startsWith("server ") ? toShownName(toolName, source.slice("server ".length)) : toolName;
  const changed = kind === "write" ? toChangedLines(toolArgs) : [];
  const given = changed.length === 0 ? toolArgs : withoutChange(toolArgs);
  const lines = [
    `${shown} (${source}) wants to run with ${JSON.stringify(given)}`,
    ...changed.map(({ mark, text }) => `  ${mark} ${text}`),
    `  ${reason}${origin === "default" ? "" : ` (${origin})`}`,
    ...(line === null ? [] : [`  called in ${line}`]),
    ...parts.filter(({ text }) => text !== reason).map(({ decision, text }) => `  ${decision.padEnd(5)}  ${text}`),
  ];
  const [kept] = suggestions;
  const always = kept === undefined ? "" : `, always in this [p]roject or for [m]e (keeps: ${kept.text})`;
  const question = `Allow it? [y]es once${always}, [N]o `;
  return `${lines.map(escapeText).join("\n")}\n${escapeText(question)}`;
}

/** What was not offered is no yes. */
export function readAnswer(text: string, { suggestions }: PermissionRequest): PermissionAnswer {
  const answer = text.trim().toLowerCase();
  if (answer === "y" || answer === "yes") return { decision: "allow", scope: "once" };
  if (answer === "p" && suggestions.length > 0) return { decision: "allow", scope: "project" };
  if (answer === "m" && suggestions.length > 0) return { decision: "allow", scope: "user" };
  return { decision: "deny", reason: "the user did not allow it" };
}
