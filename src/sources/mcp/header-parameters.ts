import { isRecord } from "./message.ts";

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** Keywords under which a schema may stand, but no parameter that is also a header. */
const ELSEWHERE = [
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"],
];
/** The same, with several schemas by name. */
const ELSEWHERE_BY_NAME = ["patternProperties", "dependentSchemas", "$defs", "definitions"];

/**
 * Whether a tool's parameters can be repeated in HTTP headers as its schema asks for. Where they cannot, protocol
 * 2026-07-28 forbids a remote tool to be used at all.
 */
export function areHeadersValid(inputSchema: unknown): boolean {
  const names = new Set<string>();
  const visit = (node: unknown, reachable: boolean): boolean => {
    if (Array.isArray(node)) return node.every((each) => visit(each, reachable));
    if (!isRecord(node)) return true;
    if (Object.hasOwn(node, KEY) && !(reachable && isValid(node, names))) return false;
    if (!valuesOf(node.properties).every((child) => visit(child, reachable))) return false;
    return (
      ELSEWHERE.every((keyword) => visit(node[keyword], false)) &&
      ELSEWHERE_BY_NAME.every((keyword) => valuesOf(node[keyword]).every((child) => visit(child, false)))
    );
  };
  try {
    return !(isRecord(inputSchema) && Object.hasOwn(inputSchema, KEY)) && visit(inputSchema, true);
  } catch {
    // Nested beyond what the stack takes.
    return false;
  }
}

function valuesOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}

function isValid(node: Readonly<Record<string, unknown>>, names: Set<string>): boolean {
  const name = node[KEY];
  if (typeof name !== "string" || !TOKEN.test(name) || !TYPES.includes(node.type)) return false;
  const key = name.toLowerCase();
  if (names.has(key)) return false;
  names.add(key);
  return true;
}
