import { isRecord } from "../../core/shape/is-record.ts";
import { isScanned, type Tool } from "../../core/tool/tool.ts";
import type { CodeResult } from "../../sources/code-port.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";
import { type CleanedText, cleanContent, withDropped } from "../../system/text/clean-content.ts";
import { type CleanData, cleanData } from "../../system/text/clean-data.ts";
import { dropHiddenParts } from "../../system/text/clean-text.ts";

/**
 * Results of servers, extensions and connections are untrusted data, like their definitions (G13), and so is what code
 * made of them: a model gets no text that a person would not see, in any form and by any way. Binary parts stay as they
 * are, and so do results of this machine's own tools: an editor must see what is in a file.
 */
export function cleanResult(tool: Tool, result: McpResult & CodeResult): McpResult {
  if (!isScanned(tool) && result.holdsStrange !== true) return result;
  const original = result.textResultForLlm;
  const { text, dropped } = dropHiddenParts(original);
  const data = cleanData(result.structured);
  const known = { said: original, text, dropped };
  const wire = result.wire === undefined ? null : cleanWire(result.wire, known, { given: result.structured, ...data });
  const message = result.wireError === undefined ? null : dropHiddenParts(result.wireError.message);
  // Most servers return the same content as text and as data.
  const most = (result.dropped ?? 0) + Math.max(dropped, data.dropped, wire?.dropped ?? 0);
  if (most === 0) return result;
  return {
    ...result,
    textResultForLlm: text,
    dropped: most,
    ...(data.dropped === 0 ? {} : { structured: data.value }),
    ...(wire === null ? {} : { wire: wire.wire }),
    ...(result.wireError === undefined || message === null
      ? {}
      : { wireError: { ...result.wireError, message: message.text } }),
    sessionLog: [...(result.sessionLog === undefined ? [] : [result.sessionLog]), toNote(most)].join("\n"),
  };
}

function toNote(dropped: number): string {
  const what = dropped === 1 ? "1 hidden character or sequence was" : `${dropped} hidden characters or sequences were`;
  return `${what} taken out of the text`;
}

type Wire = NonNullable<McpResult["wire"]>;

/** Data that has already been cleaned, with the original. */
interface KnownData extends CleanData {
  readonly given: unknown;
}

/** The model's text consists of the text blocks, so those need no second check if it was clean. */
function cleanWire(wire: Wire, known: CleanedText, data: KnownData): { readonly wire: Wire; readonly dropped: number } {
  const blocks: readonly unknown[] = Array.isArray(wire.content) ? wire.content : [];
  const isKnown = known.dropped === 0 && blocks.every((block) => isRecord(block) && block.type === "text");
  const content = isKnown ? { blocks, dropped: 0 } : cleanContent(blocks, known);
  const fields = DATA_FIELDS.flatMap((key) => {
    if (wire[key] === undefined) return [];
    return [[key, wire[key] === data.given ? data : cleanData(wire[key])] as const];
  });
  const dropped = Math.max(content.dropped, ...fields.map(([, field]) => field.dropped));
  if (dropped === 0) return { wire, dropped };
  const cleaned = Object.fromEntries(fields.map(([key, { value }]) => [key, value]));
  return { wire: { ...wire, ...cleaned, content: content.blocks, _meta: withDropped(wire._meta, dropped) }, dropped };
}

/** Fields of a protocol answer that hold data; the second is from its first version. */
const DATA_FIELDS = ["structuredContent", "toolResult"] as const;
