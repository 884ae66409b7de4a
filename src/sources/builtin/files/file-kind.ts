import { type ImageType, imageTypeOf } from "../../../core/call/image-type.ts";

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
