import type { BinaryResult } from "../../core/call/tool-result.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { McpResult } from "./mcp-result.ts";

/** Converts the raw result of `tools/call`; null if it is not a result. */
export function toMcpResult(raw: unknown): McpResult | null {
  if (!isRecord(raw)) return null;
  const { content, structuredContent, isError } = raw;
  // Servers of the first protocol version answer with `toolResult`.
  if (!Array.isArray(content) && structuredContent === undefined && raw.toolResult === undefined) return null;
  const texts: string[] = [];
  const binary: BinaryResult[] = [];
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  for (const block of blocks) {
    const read = readBlock(block);
    if (read.text !== undefined) texts.push(read.text);
    if (read.binary !== undefined) binary.push(read.binary);
  }
  const structured = structuredContent ?? raw.toolResult;
  if (blocks.length === 0 && structured !== undefined) texts.push(JSON.stringify(structured));
  const text = texts.join("\n");
  const result: { -readonly [Key in keyof McpResult]: McpResult[Key] } = {
    textResultForLlm: text,
    resultType: isError === true ? "failure" : "success",
  };
  if (binary.length > 0) result.binaryResultsForLlm = binary;
  if (structured !== undefined) result.structured = structured;
  // Without content it is no result that other clients would understand.
  if (Array.isArray(content)) result.wire = raw;
  if (isError === true) result.error = text === "" ? "the tool reported an error without a text" : text;
  return result;
}

interface Block {
  readonly text?: string;
  readonly binary?: BinaryResult;
}

function readBlock(block: unknown): Block {
  if (!isRecord(block)) return { text: JSON.stringify(block) ?? "" };
  switch (block.type) {
    case "text":
      return typeof block.text === "string" ? { text: block.text } : asJson(block);
    case "image":
    case "audio":
      return readBinary(block.type, block.data, block.mimeType) ?? asJson(block);
    case "resource":
      return isRecord(block.resource) ? readResource(block.resource) : asJson(block);
    case "resource_link":
      return typeof block.uri === "string" ? { text: describeLink(block) } : asJson(block);
    default:
      return asJson(block);
  }
}

function readBinary(type: string, data: unknown, mimeType: unknown, description?: string): Block | null {
  if (typeof data !== "string" || typeof mimeType !== "string") return null;
  return { binary: { type, data, mimeType, ...(description === undefined ? {} : { description }) } };
}

function readResource(resource: Readonly<Record<string, unknown>>): Block {
  const uri = typeof resource.uri === "string" ? resource.uri : "unnamed";
  const mimeType = typeof resource.mimeType === "string" ? resource.mimeType : null;
  if (typeof resource.text === "string") {
    return { text: `[resource ${uri}${mimeType === null ? "" : `, ${mimeType}`}]\n${resource.text}` };
  }
  return readBinary("resource", resource.blob, mimeType ?? "application/octet-stream", uri) ?? asJson(resource);
}

function describeLink(link: Readonly<Record<string, unknown>>): string {
  const words = [link.title ?? link.name, link.mimeType, link.description].filter((word) => typeof word === "string");
  return `[link ${link.uri}${words.length === 0 ? "" : `: ${words.join(", ")}`}]`;
}

/** A block of unknown type is shown as JSON rather than lost. */
function asJson(block: unknown): Block {
  return { text: JSON.stringify(block) };
}
