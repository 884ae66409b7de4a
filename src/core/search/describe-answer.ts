import type { Placement } from "../toolset/toolset.ts";
import type { MissingSource, SearchAnswer } from "./search-answer.ts";

const NO_PARAMETERS = { type: "object", properties: {} };
/** Bytes of definitions in one answer. Further tools are only named; they are loaded all the same. */
const MAX_BYTES = 40_000;

/** What the model reads: full definitions, further matches, and which sources are missing (D4). */
export function describeAnswer(answer: Omit<SearchAnswer, "text">): string {
  const { hits, total, cursor, unknown, nearest, problem, complete, missing } = answer;
  const lines: string[] = [];
  if (hits.length > 0) {
    lines.push(hits.length === 1 ? "This tool can be called now:" : `These ${hits.length} tools can be called now:`);
    lines.push(...toDefinitionLines(hits));
  } else if (unknown.length === 0) {
    lines.push(problem === null ? "No tool matches." : `No tool matches: ${problem}.`);
  }
  if (!complete)
    lines.push("Not all descriptions were looked at: there are too many. Narrow the search with a server or a name.");
  if (cursor !== null) lines.push(`${total - cursor.offset} more match: search again with "more": true.`);
  if (unknown.length > 0) lines.push(`There is no tool ${unknown.map(quote).join(", ")}.`);
  if (nearest.length > 0) lines.push(`Did you mean ${nearest.map(quote).join(" or ")}?`);
  if (hits.length === 0 || unknown.length > 0) lines.push(...describeMissing(missing));
  return lines.join("\n");
}

function toDefinitionLines(hits: readonly Placement[]): readonly string[] {
  const encoder = new TextEncoder();
  let left = MAX_BYTES;
  return hits.map(({ entry: { wireName, tool } }) => {
    const { description, inputSchema } = tool;
    const line = JSON.stringify({ name: wireName, description, inputSchema: inputSchema ?? NO_PARAMETERS });
    const size = encoder.encode(line).length;
    if (size > left)
      return JSON.stringify({
        name: wireName,
        description: description.slice(0, 200),
        inputSchema: "among your tools now",
      });
    left -= size;
    return line;
  });
}

function describeMissing(missing: readonly MissingSource[]): readonly string[] {
  const starting = missing.filter(({ state }) => state === "starting").map(({ name }) => quote(name));
  const failed = missing.filter(({ state }) => state === "failed");
  return [
    ...(starting.length === 0 ? [] : [`Still starting: ${starting.join(", ")}. Search again in a moment.`]),
    ...(failed.length === 0
      ? []
      : [`Not available: ${failed.map(({ name, reason }) => describeFailure(name, reason)).join("; ")}.`]),
  ];
}

function describeFailure(name: string, reason: string | null): string {
  return reason === null ? quote(name) : `${quote(name)} (${reason})`;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
