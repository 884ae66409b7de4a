import type { Stage } from "../../core/call/eventual.ts";
import type { BinaryResult, ToolResult } from "../../core/call/tool-result.ts";
import type { FoundKind } from "../../core/filters/filter.ts";
import type { Sifted, Sifter } from "../../core/filters/sift.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { McpResult } from "../../sources/mcp/mcp-result.ts";

export interface SiftedResult {
  /** The identical result if nothing was masked; null if what is left cannot have the promised form. */
  readonly result: ToolResult | null;
  readonly found: readonly FoundKind[];
}

/** Masks data that has to keep its form; its value is a symbol where that cannot be done. */
type SiftData = (value: unknown, sifter: Sifter) => Stage<Sifted>;

/**
 * Everything of a result that somebody reads: the model's text, data, what an MCP client gets, and what is for people
 * and logs. Bytes of pictures and files are not looked into.
 */
export function* siftResult(result: McpResult, sifter: Sifter, siftData: SiftData): Stage<SiftedResult> {
  const { textResultForLlm, structured, wire, wireError, binaryResultsForLlm, ...rest } = result;
  const text = sifter.text(textResultForLlm);
  const data = structured === undefined ? NONE : yield* siftData(structured, sifter);
  const content = wire === undefined ? NONE : siftWire(wire, sifter);
  const answered = wire?.structuredContent;
  const ofWire = answered === undefined ? NONE : answered === structured ? data : yield* siftData(answered, sifter);
  const parts = [wireError, binaryResultsForLlm?.map(withoutBytes), rest];
  const others = parts.map((part) => sifter.sift(part));
  const found = most([text.found, data.found, content.found, ofWire.found, ...others.map((one) => one.found)]);
  if (typeof data.value === "symbol" || typeof ofWire.value === "symbol") return { result: null, found };
  // What is too deep to be looked at is left out although nothing was found.
  const isWhole = [data.value === structured, ofWire.value === answered, content.value === wire];
  const areWhole = others.every(({ value }, at) => value === parts[at]);
  if (text.text === textResultForLlm && areWhole && !isWhole.includes(false)) return { result, found };
  const [error, binary, kept] = others.map(({ value }) => value);
  return {
    result: {
      ...(kept as typeof rest), // Masked values have the shape of what was given.
      textResultForLlm: text.text,
      ...(structured === undefined ? {} : { structured: data.value }),
      ...(binaryResultsForLlm === undefined ? {} : { binaryResultsForLlm: withBytes(binary, binaryResultsForLlm) }),
      ...(wire === undefined
        ? {}
        : {
            wire: {
              ...(content.value as Wire),
              ...(answered === undefined ? {} : { structuredContent: ofWire.value }),
            },
          }),
      ...(wireError === undefined ? {} : { wireError: error as typeof wireError }),
    } as McpResult,
    found,
  };
}

type Wire = NonNullable<McpResult["wire"]>;

const NONE: Sifted = { value: undefined, found: [] };

/** All of a protocol answer but its data, which has a form to keep, and the bytes of its blocks; identical if unchanged. */
function siftWire(wire: Wire, sifter: Sifter): Sifted {
  const { structuredContent: _, content, ...rest } = wire;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const bytes = blocks.map(bytesOf);
  const given = { ...rest, content: blocks.map(dropBytes) };
  const sifted = sifter.sift(given);
  if (sifted.value === given) return { value: wire, found: sifted.found };
  const masked = isRecord(sifted.value) && Array.isArray(sifted.value.content) ? sifted.value.content : [];
  const whole = masked.map((block: unknown, at) => putBytes(block, bytes[at] ?? null));
  const value = { ...(isRecord(sifted.value) ? sifted.value : {}), content: whole };
  return { value, found: sifted.found };
}

/** The bytes of a picture, a sound or an embedded file. */
interface Bytes {
  readonly data?: unknown;
  readonly blob?: unknown;
}

function bytesOf(block: unknown): Bytes {
  if (!isRecord(block)) return {};
  const isMedia = block.type === "image" || block.type === "audio";
  return {
    ...(isMedia && "data" in block ? { data: block.data } : {}),
    ...(isRecord(block.resource) && "blob" in block.resource ? { blob: block.resource.blob } : {}),
  };
}

function dropBytes(block: unknown): unknown {
  if (!isRecord(block)) return block;
  return putBytes(block, {
    ...("data" in bytesOf(block) ? { data: "" } : {}),
    ...("blob" in bytesOf(block) ? { blob: "" } : {}),
  });
}

function putBytes(block: unknown, bytes: Bytes | null): unknown {
  if (!isRecord(block) || bytes === null) return block;
  const own = "data" in bytes ? { ...block, data: bytes.data } : block;
  if (!("blob" in bytes)) return own;
  return { ...own, resource: { ...(isRecord(own.resource) ? own.resource : {}), blob: bytes.blob } };
}

function withoutBytes({ data: _, ...rest }: BinaryResult): Omit<BinaryResult, "data"> {
  return rest;
}

function withBytes(masked: unknown, given: readonly BinaryResult[]): readonly BinaryResult[] {
  const parts: readonly unknown[] = Array.isArray(masked) ? masked : [];
  return given.map((binary, at) => ({ ...binary, ...(isRecord(parts[at]) ? parts[at] : {}) }));
}

/** The same is usually said as text and as data, so the parts are not added up. */
function most(lists: readonly (readonly FoundKind[])[]): readonly FoundKind[] {
  const found = new Map<string, FoundKind>();
  for (const finding of lists.flat()) {
    const key = JSON.stringify([finding.kind, finding.act, finding.origin]);
    const known = found.get(key);
    if (known === undefined || known.count < finding.count) found.set(key, finding);
  }
  return [...found.values()];
}
