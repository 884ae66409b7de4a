import { foldSchema, MOST_OPEN } from "../../core/schema/fold-schema.ts";
import { subSchemas } from "../../core/schema/keywords.ts";
import { isRecord, objectOf } from "../../core/shape/json-value.ts";

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];

/**
 * Whether a tool's parameters can be repeated in HTTP headers as its schema demands. If not, protocol 2026-07-28
 * forbids using a remote tool at all.
 */
export function areHeadersValid(inputSchema: unknown): boolean {
  const names = new Set<string>();
  if (isRecord(inputSchema) && Object.hasOwn(inputSchema, KEY)) return false;
  // No recursion, so that any depth that can be listed can be checked.
  const open: (readonly [schema: unknown, isReachable: boolean])[] = [[inputSchema, true]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [schema, isReachable] = next;
    if (!isRecord(schema)) continue;
    if (Object.hasOwn(schema, KEY) && !(isReachable && isValid(schema, names))) return false;
    // Only a property, and no schema elsewhere, is a parameter that can also be a header.
    for (const { keyword, schema: part } of subSchemas(schema))
      open.push([part, isReachable && keyword === "properties"]);
  }
  return true;
}

function isValid(node: Readonly<Record<string, unknown>>, names: Set<string>): boolean {
  const name = node[KEY];
  if (typeof name !== "string" || !TOKEN.test(name) || !TYPES.includes(node.type)) return false;
  const key = name.toLowerCase();
  if (names.has(key)) return false;
  names.add(key);
  return true;
}

interface HeaderParameter {
  readonly path: readonly string[];
  readonly name: string;
}

/** Keyed by the schema object, which stays the same as long as the tool does. */
const known = new WeakMap<object, readonly HeaderParameter[]>();

/**
 * The headers that repeat parameters of one call, for a schema that passed `areHeadersValid`; null if there are none.
 */
export function buildParameterHeaders(
  inputSchema: unknown,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> | null {
  if (!isRecord(inputSchema)) return null;
  let parameters = known.get(inputSchema);
  if (parameters === undefined) {
    parameters = findParameters(inputSchema);
    known.set(inputSchema, parameters);
  }
  if (parameters.length === 0) return null;
  const headers: Record<string, string> = {};
  for (const { path, name } of parameters) {
    const text = toHeaderText(path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), args));
    if (text !== null) headers[`Mcp-Param-${name}`] = text;
  }
  return headers;
}

function findParameters(root: unknown): readonly HeaderParameter[] {
  return foldSchema<readonly HeaderParameter[], readonly string[]>(root, [], {
    levels: MOST_OPEN,
    visit(schema, { place: path, inner }) {
      const name = schema[KEY];
      const own = path.length > 0 && typeof name === "string" ? [{ path, name }] : [];
      const properties = Object.entries(objectOf(schema.properties));
      return [...own, ...properties.flatMap(([key, part]) => inner(part, [...path, key]))];
    },
    beyond: () => [],
  });
}

/** As plain text if HTTP can carry it, else in the protocol's own Base64 form; null for an absent value. */
function toHeaderText(value: unknown): string | null {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return null;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  const text = String(value);
  const plain = /^[!-~](?:[\t -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
