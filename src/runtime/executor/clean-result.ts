import { isRecord } from "../../core/shape/is-record.ts";
import { isScanned, type Tool } from "../../core/tool/tool.ts";
import type { CodeResult } from "../../sources/code-port.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";
import { type CleanedText, cleanContent, withDropped } from "../../system/text/clean-content.ts";
import { type CleanData, cleanData } from "../../system/text/clean-data.ts";
import { dropHiddenParts } from "../../system/text/clean-text.ts";

/**
 * What servers, extensions and connections answer is data of strangers, like their definitions (G13), and so is what code
 * made of it: a model gets no text of it that a person would not see, in whatever form and on whatever way. Binary parts
 * stay as they are, and so does what the tools of this machine say: whoever edits a file must see what is in it.
 */
export function cleanResult(tool: Tool, result: McpResult & CodeResult): McpResult {
  if (!isScanned(tool) && result.holdsStrange !== true) return result;
  const said = result.textResultForLlm;
  const { text, dropped } = dropHiddenParts(said);
  const data = cleanData(result.structured);
  const known = { said, text, dropped };
  const wire = result.wire === undefined ? null : cleanWire(result.wire, known, { given: result.structured, ...data });
  const message = result.wireError === undefined ? null : dropHiddenParts(result.wireError.message);
  // Most servers say the same thing as text and as data.
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

/** Data that was cleaned before, as it was given. */
interface KnownData extends CleanData {
  readonly given: unknown;
}

/** The model's text is made of the blocks that are text, so those need no second look where it was clean. */
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

/** Where an answer of the protocol has data; the second is that of its first version. */
const DATA_FIELDS = ["structuredContent", "toolResult"] as const;
