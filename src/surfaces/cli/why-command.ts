import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type Explanation, explain } from "../../core/toolset/explain.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { describeReport, type SourceReport } from "../../runtime/session/source-report.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";
import { answer, loadQuestion } from "./load-question.ts";
import { toNoticeRow, toTraceRow } from "./toolset-json.ts";
import { formatExplanations, toSee } from "./why-text.ts";

/** `toolcrib why TOOL`: every gate's verdict, and what to change. Status 0 when nothing that was asked for is hidden. */
export async function runWhy(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const [name = ""] = args.operands;
  const question = await loadQuestion(input);
  const { toolset, notices } = answer(question, log);
  if (!args.has("json")) log.notices(notices);
  const explanations = findExplanations(toolset, name, question.sources ?? []);
  if (args.has("json")) {
    const tools = explanations.map(toExplanationRow);
    io.out(toJson({ query: name, tools, notices: notices.map(toNoticeRow) }, io.isTTY));
  } else io.out(formatExplanations(name, explanations, io));
  return explanations.some(({ standing }) => standing === "hidden") ? 1 : 0;
}

function findExplanations(toolset: Toolset, name: string, sources: readonly SourceReport[]): readonly Explanation[] {
  const found = explain(toolset, name);
  switch (found.kind) {
    case "found":
      return found.explanations;
    case "pending":
      throw unlisted(name, found.server, sources);
    case "unknown":
      for (const { name: server, state } of sources)
        if (state !== "connected" && isFront(server, name)) throw unlisted(name, server, sources);
      throw new ToolcribError("tool.not-found", toAdvice(toolset, name, found.nearest), { names: found.nearest });
  }
}

/** Why nothing is known about the tools of a server, and what to do: "unknown" would send people after a typo. */
function unlisted(name: string, server: string, sources: readonly SourceReport[]): ToolcribError {
  const report = sources.find((source) => source.kind === "mcp" && source.name === server);
  const why =
    report === undefined || report.state === "connected"
      ? `the tools of server "${server}" are not listed yet`
      : describeReport(report);
  return new ToolcribError("tool.not-found", `nothing is known about ${JSON.stringify(name)}: ${why}`, {
    names: [server],
  });
}

function isFront(server: string, name: string): boolean {
  return [server, `mcp__${server}`].some(
    (front) => name === front || (/^(?:\/|__|-)/.test(name.slice(front.length)) && name.startsWith(front)),
  );
}

function toAdvice({ catalog }: Toolset, name: string, nearest: readonly string[]): string {
  const shown = JSON.stringify(name);
  if (name === catalog.search.wireName) return `${name} is there only while something is deferred, and nothing is`;
  if (nearest.length === 0) return `there is no tool ${shown}; "toolcrib list" shows them all`;
  return `there is no tool ${shown}; did you mean ${nearest.map((near) => JSON.stringify(near)).join(" or ")}?`;
}

function toExplanationRow(explanation: Explanation): object {
  const { wireName, id, source, standing, reasons, passed } = explanation;
  return {
    name: wireName,
    id,
    source,
    standing,
    reasons: reasons.map((line) => ({ ...toTraceRow(line), fix: line.reason.fix })),
    passed,
    toSee: toSee(explanation),
  };
}
