import type { UserPart } from "../../core/call/message.ts";
import { isRecord } from "../../core/shape/is-record.ts";

/** One message from an editor. */
export interface ReadPrompt {
  readonly text: string;
  readonly attachments: readonly UserPart[];
}

/** Reads the content blocks of a prompt; null if one of them cannot be shown to a model. */
export function readPrompt(blocks: unknown): ReadPrompt | null {
  if (!Array.isArray(blocks)) return null;
  const parts = blocks.map(readBlock);
  if (parts.some((part) => part === null)) return null;
  const read = parts.filter((part) => part !== null);
  const said = read.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { text: said.join("\n"), attachments: read.filter(({ type }) => type === "file") };
}

function readBlock(block: unknown): UserPart | null {
  if (!isRecord(block)) return null;
  const { type, text, data, mimeType, uri, name } = block;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type === "image" && typeof data === "string" && typeof mimeType === "string")
    return { type: "file", mimeType, data, name: typeof uri === "string" ? uri : null };
  if (type === "resource_link" && typeof uri === "string")
    return { type: "text", text: `[${typeof name === "string" ? name : uri}](${uri})` };
  return type === "resource" ? readResource(block.resource) : null;
}

/** A file that the editor has open, perhaps with unsaved changes. */
function readResource(resource: unknown): UserPart | null {
  if (!isRecord(resource) || typeof resource.uri !== "string") return null;
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === "string") return { type: "text", text: `<file name=${JSON.stringify(uri)}>\n${text}\n</file>` };
  if (typeof blob !== "string" || typeof mimeType !== "string") return null;
  return { type: "file", mimeType, data: blob, name: uri };
}
