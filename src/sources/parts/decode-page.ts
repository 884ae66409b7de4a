/** How far into a page browsers look for its charset. */
const META_BYTES = 1024;
const META_CHARSET = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i;
const HTML_START = /^\s*(?:<!doctype html|<html|<head|<body|<!--)/i;

const TEXT_TYPES =
  /^(?:text\/.*|application\/(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh|sql|x-ndjson)|.*\+(?:json|xml|yaml))$/;

export interface Page {
  readonly kind: "html" | "text" | "binary";
  /** Without parameters, in lower case; empty when the server named none. */
  readonly contentType: string;
  readonly text: string;
}

/** The content of a response, by its content type or, without one, by its bytes. */
export function decodePage(bytes: Buffer, header: string | undefined): Page {
  const [type = "", ...parameters] = (header ?? "").split(";").map((part) => part.trim());
  const contentType = type.toLowerCase();
  const kind = kindOf(contentType, bytes);
  if (kind === "binary") return { kind, contentType, text: "" };
  const named = parameters.map((parameter) => /^charset=["']?([^"']+)/i.exec(parameter)?.[1]).find(Boolean);
  return { kind, contentType, text: decode(bytes, named ?? (kind === "html" ? metaCharset(bytes) : undefined)) };
}

function kindOf(contentType: string, bytes: Buffer): Page["kind"] {
  if (contentType === "text/html" || contentType === "application/xhtml+xml") return "html";
  if (TEXT_TYPES.test(contentType)) return "text";
  if (contentType !== "") return "binary";
  const head = bytes.subarray(0, META_BYTES);
  if (head.includes(0)) return "binary";
  return HTML_START.test(head.toString("latin1")) ? "html" : "text";
}

function metaCharset(bytes: Buffer): string | undefined {
  return META_CHARSET.exec(bytes.subarray(0, META_BYTES).toString("latin1"))?.[1];
}

/** A byte order mark wins over every label; an unknown label is read as UTF-8. */
function decode(bytes: Buffer, label: string | undefined): string {
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
  const isUtf8Marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    return new TextDecoder(marked ?? (isUtf8Marked ? "utf-8" : (label ?? "utf-8"))).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
