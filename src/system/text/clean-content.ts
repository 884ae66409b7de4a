import { isRecord } from "../../core/shape/is-record.ts";
import { dropHiddenParts } from "./clean-text.ts";

/** Tells MCP clients how much of the server's text was removed. */
const DROPPED_KEY = "toolcrib/dropped-characters";

export interface CleanContent {
  /** The identical list if nothing was removed. */
  readonly blocks: readonly unknown[];
  readonly dropped: number;
}

/** A text that was cleaned before: cleaning a large one twice would be wasteful. */
export interface CleanedText {
  readonly said: string;
  readonly text: string;
  readonly dropped: number;
}

const TEXTS = ["text", "title", "name", "description"] as const;

/** Content blocks without text that a person would not see. Addresses and binary parts stay unchanged. */
export function cleanContent(blocks: readonly unknown[], known: CleanedText | null = null): CleanContent {
  let dropped = 0;
  const clean = (part: Record<string, unknown>): Record<string, unknown> => {
    const cleaned = { ...part };
    for (const key of TEXTS) {
      const said = part[key];
      if (typeof said !== "string") continue;
      const rest = said === known?.said ? known : dropHiddenParts(said);
      dropped += rest.dropped;
      cleaned[key] = rest.text;
    }
    return cleaned;
  };
  const cleaned = blocks.map((block) => {
    if (!isRecord(block)) return block;
    return isRecord(block.resource) ? { ...clean(block), resource: clean(block.resource) } : clean(block);
  });
  return dropped === 0 ? { blocks, dropped } : { blocks: cleaned, dropped };
}

/** Adds the number of removed characters to `_meta`. */
export function withDropped(meta: unknown, dropped: number): Readonly<Record<string, unknown>> {
  return { ...(isRecord(meta) ? meta : {}), [DROPPED_KEY]: dropped };
}
