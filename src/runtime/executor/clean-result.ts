import { isRecord } from "../../core/shape/is-record.ts";
import { isScanned, type Tool } from "../../core/tool/tool.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";
import { type CleanedText, cleanContent, withDropped } from "../../system/text/clean-content.ts";
import { dropHiddenParts } from "../../system/text/clean-text.ts";

/**
 * What servers, extensions and connections answer is data of strangers, like their definitions (G13): a model gets no
 * text of it that a person would not see. Structured content and binary parts stay as they are, and so does what the
 * tools of this machine say: whoever edits a file must see what is in it.
 */
export function cleanResult(tool: Tool, result: McpResult): McpResult {
  if (!isScanned(tool)) return result;
  const said = result.textResultForLlm;
  const { text, dropped } = dropHiddenParts(said);
  const wire = result.wire === undefined ? null : cleanWire(result.wire, { said, text, dropped });
  const message = result.wireError === undefined ? null : dropHiddenParts(result.wireError.message);
  const most = Math.max(dropped, wire?.dropped ?? 0);
  if (most === 0) return result;
  return {
    ...result,
    textResultForLlm: text,
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

/** The model's text is made of the blocks that are text, so those need no second look where it was clean. */
function cleanWire(wire: Wire, known: CleanedText): { readonly wire: Wire; readonly dropped: number } {
  const blocks: readonly unknown[] = Array.isArray(wire.content) ? wire.content : [];
  if (known.dropped === 0 && blocks.every((block) => isRecord(block) && block.type === "text"))
    return { wire, dropped: 0 };
  const { blocks: content, dropped } = cleanContent(blocks, known);
  if (dropped === 0) return { wire, dropped };
  return { wire: { ...wire, content, _meta: withDropped(wire._meta, dropped) }, dropped };
}
