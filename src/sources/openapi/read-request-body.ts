import { isRecord } from "../../core/shape/is-record.ts";
import { childOf, DocumentFault, type Located, membersOf, textAt } from "./api-file.ts";
import type { RequestBody } from "./operation.ts";
import { freeKey, readWriting } from "./read-parameters.ts";
import { type ApiFiles, followReference } from "./references.ts";

/** Media types in order of preference; of all others, the first that the document names. */
const CHOICE = [
  /^application\/json\b/i,
  /^[^;]+\+json\b/i,
  /^application\/x-www-form-urlencoded\b/i,
  /^multipart\/form-data\b/i,
  /^text\/plain\b/i,
  /^text\//i,
];

/** The body of an operation; null if it has none. */
export function toRequestBody(written: Located, taken: ReadonlySet<string>, files: ApiFiles): RequestBody | null {
  if (written.value === undefined || written.value === null) return null;
  const at = followReference(written, files);
  const types = membersOf(childOf(at, "content"));
  const [first] = types;
  if (first === undefined) throw new DocumentFault(at, "names no media type in its content");
  const [mediaType, content] =
    CHOICE.map((wanted) => types.find(([type]) => wanted.test(type))).find((found) => found !== undefined) ?? first;
  const schema = childOf(content, "schema");
  const isMultipart = /^multipart\//i.test(mediaType);
  return {
    key: freeKey("body", "content", taken),
    required: childOf(at, "required").value === true,
    description: textAt(at, "description"),
    mediaType: mediaType === "*/*" || mediaType.endsWith("/*") ? "application/octet-stream" : mediaType,
    schema: schema.value === undefined ? null : schema,
    files: isMultipart ? findFiles(schema, content, files) : new Map(),
    encoding: readEncoding(content),
  };
}

function readEncoding(content: Located): RequestBody["encoding"] {
  return new Map(
    membersOf(childOf(content, "encoding")).map(([name, at]) => [
      name,
      { ...readWriting(at, "form"), mediaType: textAt(at, "contentType") },
    ]),
  );
}

/** The fields of a form that are sent as files: binary by their schema, or by the type that the document gives them. */
function findFiles(written: Located, content: Located, files: ApiFiles): RequestBody["files"] {
  const found = new Map<string, { isList: boolean; mediaType: string | null }>();
  for (const [name, property] of membersOf(childOf(followReference(written, files), "properties"))) {
    const schema = followReference(property, files);
    const items = childOf(schema, "items");
    const isList = childOf(schema, "type").value === "array" && items.value !== undefined;
    const inner = isList ? followReference(items, files) : schema;
    const mediaType = textAt(childOf(childOf(content, "encoding"), name), "contentType");
    const isBinary = mediaType !== null && /^(?:image|audio|video)\/|octet-stream/i.test(mediaType);
    if (isBytes(inner.value) || (isBinary && !isList)) found.set(name, { isList, mediaType });
  }
  return found;
}

export function isBytes(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  return schema.format === "binary" || (schema.contentMediaType !== undefined && schema.contentEncoding === undefined);
}
