export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type FileKind =
  | { readonly kind: "text"; readonly encoding: "utf8" | "utf16le" }
  | { readonly kind: "image"; readonly mimeType: ImageType }
  | { readonly kind: "binary" };

/** Bytes of a file that are needed to recognise its kind. */
export const KIND_BYTES = 8192;

/** The kind of a file, by its first bytes and never by its name. */
export function fileKindOf(head: Uint8Array): FileKind {
  const mimeType = imageTypeOf(head);
  if (mimeType !== null) return { kind: "image", mimeType };
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: "text", encoding: "utf16le" };
  return head.includes(0) ? { kind: "binary" } : { kind: "text", encoding: "utf8" };
}

export function imageTypeOf(head: Uint8Array): ImageType | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 16)).toString("latin1");
  if (bytes.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.startsWith("GIF87a") || bytes.startsWith("GIF89a")) return "image/gif";
  if (bytes.startsWith("RIFF") && bytes.slice(8, 12) === "WEBP") return "image/webp";
  return null;
}
