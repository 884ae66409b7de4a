export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The smallest of the providers' limits for one image. */
export const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

/** The kind of an image, by its first bytes and never by its name; null for anything else. */
export function imageTypeOf(head: Uint8Array): ImageType | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 16)).toString("latin1");
  if (bytes.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.startsWith("GIF87a") || bytes.startsWith("GIF89a")) return "image/gif";
  if (bytes.startsWith("RIFF") && bytes.slice(8, 12) === "WEBP") return "image/webp";
  return null;
}
