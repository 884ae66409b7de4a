import { isRecord } from "../../core/shape/is-record.ts";
import type { RequestBody } from "./operation.ts";
import { writePairs, writePlain } from "./write-value.ts";

export interface WrittenBody {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

const FORM = { style: "form", explode: true, allowReserved: false } as const;

/** The body of a request in the media type that was chosen. */
export async function writeBody(body: RequestBody, value: unknown): Promise<WrittenBody> {
  const { mediaType: type } = body;
  if (/^application\/x-www-form-urlencoded/i.test(type)) return { type, bytes: writeForm(body, value) };
  if (/^multipart\//i.test(type)) return writeMultipart(body, value);
  if (/\bjson\b/i.test(type)) return { type, bytes: JSON.stringify(value) ?? "null" };
  return isRecord(value)
    ? { type, bytes: await toBlob(value, type).arrayBuffer().then(toBytes) }
    : { type, bytes: writePlain(value) };
}

function writeForm({ encoding }: RequestBody, value: unknown): string {
  const fields = isRecord(value) ? Object.entries(value) : [];
  return fields
    .flatMap(([name, field]) => {
      const written = encoding.get(name) ?? FORM;
      // A form has no objects; those without an encoding are written as JSON.
      return writePairs(name, isRecord(field) && !encoding.has(name) ? JSON.stringify(field) : field, written);
    })
    .map(([name, text]) => `${name}=${text.replaceAll("%20", "+")}`)
    .join("&");
}

async function writeMultipart({ files, encoding }: RequestBody, value: unknown): Promise<WrittenBody> {
  const form = new FormData();
  for (const [name, field] of isRecord(value) ? Object.entries(value) : []) {
    const file = files.get(name);
    for (const item of Array.isArray(field) ? field : [field]) {
      const type = file?.mediaType ?? encoding.get(name)?.mediaType ?? null;
      if (file !== undefined) form.append(name, toBlob(item, type), fileName(item, name));
      else if (isRecord(item))
        form.append(name, new Blob([JSON.stringify(item)], { type: type ?? "application/json" }));
      else if (type !== null) form.append(name, new Blob([writePlain(item)], { type }));
      else form.append(name, writePlain(item));
    }
  }
  const written = new Response(form);
  return {
    type: written.headers.get("content-type") ?? "multipart/form-data",
    bytes: toBytes(await written.arrayBuffer()),
  };
}

/** A file argument: an object with text or base64, or just a text. */
function toBlob(value: unknown, type: string | null): Blob {
  const { text, base64, type: given } = isRecord(value) ? value : { text: value, base64: undefined, type: undefined };
  const bytes = typeof base64 === "string" ? Buffer.from(base64, "base64") : Buffer.from(writePlain(text ?? ""));
  const named = type !== null && !type.includes(",") && !type.includes("*") ? type : "application/octet-stream";
  return new Blob([bytes], { type: typeof given === "string" ? given : named });
}

function fileName(value: unknown, field: string): string {
  return isRecord(value) && typeof value.filename === "string" ? value.filename : field;
}

function toBytes(buffer: ArrayBuffer): Uint8Array {
  return new Uint8Array(buffer);
}
