import { isRecord } from "../../core/shape/is-record.ts";
import type { Parameter, Writing } from "./operation.ts";

/** A name and a value, both encoded for an address. */
export type Pair = readonly [string, string];

/** A value as one text, for paths and headers. */
export function writeText(name: string, value: unknown, { style, explode }: Writing, isHeader = false): string {
  const write = isHeader ? writePlain : encode;
  if (style === "matrix") return writeMatrix(name, value, explode);
  const comma = style === "label" ? "." : ",";
  const separator = style === "label" ? (explode ? "." : ",") : ",";
  const written = Array.isArray(value)
    ? value.map(write).join(separator)
    : isRecord(value)
      ? explode
        ? entriesOf(value)
            .map(([key, inner]) => `${write(key)}=${write(inner)}`)
            .join(comma)
        : entriesOf(value)
            .flatMap(([key, inner]) => [write(key), write(inner)])
            .join(separator)
      : write(value);
  return style === "label" ? `.${written}` : written;
}

function writeMatrix(name: string, value: unknown, explode: boolean): string {
  const key = encode(name);
  if (Array.isArray(value))
    return explode ? value.map((item) => `;${key}=${encode(item)}`).join("") : `;${key}=${value.map(encode).join(",")}`;
  if (!isRecord(value)) return `;${key}=${encode(value)}`;
  if (explode)
    return entriesOf(value)
      .map(([inner, item]) => `;${encode(inner)}=${encode(item)}`)
      .join("");
  return `;${key}=${entriesOf(value)
    .flatMap(([inner, item]) => [encode(inner), encode(item)])
    .join(",")}`;
}

/** A value as pairs, for queries, cookies and forms. */
export function writePairs(name: string, value: unknown, { style, explode, allowReserved }: Writing): readonly Pair[] {
  const write = allowReserved ? encodeReserved : encode;
  const key = encode(name);
  if (style === "deepObject" && (isRecord(value) || Array.isArray(value))) return writeDeep(key, value, write);
  const separator = SEPARATORS.get(style) ?? ",";
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [key, write(item)]);
    return [[key, value.map(write).join(separator)]];
  }
  if (isRecord(value)) {
    if (explode) return entriesOf(value).map(([inner, item]) => [encode(inner), write(item)]);
    return [
      [
        key,
        entriesOf(value)
          .flatMap(([inner, item]) => [encode(inner), write(item)])
          .join(separator),
      ],
    ];
  }
  return [[key, write(value)]];
}

const SEPARATORS: ReadonlyMap<string, string> = new Map([
  ["spaceDelimited", "%20"],
  ["pipeDelimited", "%7C"],
]);

/** `filter[owner][name]=x`; deeper than the specification allows, as most servers read it. */
function writeDeep(key: string, value: object, write: (value: unknown) => string): readonly Pair[] {
  return Object.entries(value).flatMap(([inner, item]): readonly Pair[] => {
    const name = `${key}%5B${encode(inner)}%5D`;
    if (item === undefined) return [];
    if (Array.isArray(item)) return item.map((one) => [name, write(one)]);
    return isRecord(item) ? writeDeep(name, item, write) : [[name, write(item)]];
  });
}

/** The value of a parameter that has a media type instead of a style. */
export function writeContent({ mediaType }: Pick<Parameter, "mediaType">, value: unknown): string {
  return /\bjson\b/i.test(mediaType ?? "") ? JSON.stringify(value) : writePlain(value);
}

export function writePlain(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** Throws a `URIError` if the value ends within a character. */
export function encode(value: unknown): string {
  return encodeURIComponent(writePlain(value)).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Keeps what RFC 3986 reserves, except what would begin another parameter or end the query. */
function encodeReserved(value: unknown): string {
  return encode(value).replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent);
}

function entriesOf(value: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
