import type { Proof } from "./credentials.ts";
import type { Operation, Parameter } from "./operation.ts";
import { writeBody } from "./write-body.ts";
import { encode, type Pair, writeContent, writePairs, writePlain, writeText } from "./write-value.ts";

export interface ApiRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | Uint8Array | null;
}

/** Why arguments do not make a valid request; the model reads it. */
export class ArgumentFault extends Error {
  override readonly name = "ArgumentFault";
}

interface Asking {
  readonly base: URL;
  /** The entry's headers, which override all arguments. */
  readonly headers: Readonly<Record<string, string>>;
  readonly proof: Proof;
}

/** The request for a call of an operation. Throws an `ArgumentFault` if the arguments do not make a valid one. */
export async function buildRequest(
  operation: Operation,
  args: Readonly<Record<string, unknown>>,
  { base, headers, proof }: Asking,
): Promise<ApiRequest> {
  const { body, method } = operation;
  const given = operation.parameters.flatMap((parameter): (readonly [Parameter, unknown])[] => {
    const value = Object.hasOwn(args, parameter.key) ? args[parameter.key] : undefined;
    if (value !== undefined && (value !== null || parameter.place === "query")) return [[parameter, value ?? ""]];
    if (parameter.required) throw new ArgumentFault(`"${parameter.key}" is required.`);
    return [];
  });
  const inPlace = (place: Parameter["place"]) => given.filter(([parameter]) => parameter.place === place);
  const cookies = withProof(inPlace("cookie").flatMap(toPairs), proof.cookies, []);
  const value = body === null || !Object.hasOwn(args, body.key) ? undefined : args[body.key];
  if (body?.required === true && value === undefined) throw new ArgumentFault(`"${body.key}" is required.`);
  const written = body === null || value === undefined ? null : await writeBody(body, value);
  const all = new Map<string, string>([
    ["accept", "application/json, text/*;q=0.9, */*;q=0.5"],
    ["accept-encoding", "gzip, deflate, br"],
    ["user-agent", "toolcrib"],
    ...inPlace("header").map(
      ([parameter, header]) => [parameter.name.toLowerCase(), toHeader(parameter, header)] as const,
    ),
    ...(written === null ? [] : [["content-type", written.type] as const]),
    ...(cookies.length === 0 ? [] : [["cookie", cookies.map((pair) => pair.join("=")).join("; ")] as const]),
    ...Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text] as const),
    ...proof.headers,
  ]);
  const query = withProof(inPlace("query").flatMap(toPairs), proof.query, [...base.searchParams.keys()].map(encode));
  return {
    url: toUrl(base, fillPath(operation.path, inPlace("path")), query),
    method: method.toUpperCase(),
    headers: all,
    body: written?.bytes ?? null,
  };
}

/**
 * Of two parameters with the same name, servers read the first or the last, so no argument may use a name of the
 * entry's.
 */
function withProof(given: readonly Pair[], proof: readonly Pair[], own: readonly string[]): readonly Pair[] {
  const taken = new Set([...proof.map(([name]) => name), ...own]);
  const [name] = given.find(([one]) => taken.has(one)) ?? [];
  if (name === undefined) return [...given, ...proof];
  throw new ArgumentFault(`"${decodeURIComponent(name)}" is what the entry says already: no argument may set it.`);
}

function toPairs([parameter, value]: readonly [Parameter, unknown]): readonly Pair[] {
  if (parameter.mediaType === null) return writePairs(parameter.name, value, parameter);
  return [[encode(parameter.name), encode(writeContent(parameter, value))]];
}

function toHeader(parameter: Parameter, value: unknown): string {
  const text =
    parameter.mediaType === null ? writeText(parameter.name, value, parameter, true) : writeContent(parameter, value);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) throw new ArgumentFault(`"${parameter.key}" holds what no header may.`);
  return text;
}

function fillPath(path: string, given: readonly (readonly [Parameter, unknown])[]): string {
  const values = new Map(given.map(([parameter, value]) => [parameter.name, { parameter, value }]));
  return path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const found = values.get(name);
    if (found === undefined) return whole;
    const { parameter, value } = found;
    const written =
      parameter.mediaType === null ? writeText(name, value, parameter) : encode(writeContent(parameter, value));
    if (written === "" || writePlain(value) === "") throw new ArgumentFault(`"${parameter.key}" must not be empty.`);
    return written;
  });
}

/**
 * The address, which must match the operation's path: a value of `..` would lead to another operation, and so would an
 * encoded slash, because many servers decode it.
 */
function toUrl(base: URL, path: string, query: readonly Pair[]): URL {
  if (path.split(/\/|%2f|%5c/i).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    throw new ArgumentFault('An argument makes a part of the path "." or "..", which would be another address.');
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  const own = url.search.replace(/^\?/, "");
  url.search = [...(own === "" ? [] : [own]), ...query.map((pair) => pair.join("="))].join("&");
  url.hash = "";
  return url;
}
