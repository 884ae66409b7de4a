import { type MapNode, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readNames, readText } from "../../core/shape/read-node.ts";
import type { Product } from "./find-foreign.ts";
import type { Variables } from "./refer-secrets.ts";

/** The address of a remote server, and its transport unless a type is given. */
export interface ServerAddress {
  readonly key: string;
  readonly type: "http" | "sse";
}

const ADDRESS_KEYS = ["url", "serverUrl", "httpUrl"];

/** Gemini reaches `httpUrl` by streamable HTTP and `url` by SSE; Windsurf tells old addresses by their ending. */
export function addressOf(node: MapNode, product: Product): ServerAddress {
  const isThere = (key: string): boolean => readText(nodeAt(node, key)) !== null;
  if (product === "gemini") return isThere("httpUrl") ? { key: "httpUrl", type: "http" } : { key: "url", type: "sse" };
  const key = ADDRESS_KEYS.find(isThere) ?? "url";
  const isOld = product === "windsurf" && /\/sse\/?$/.test(readText(nodeAt(node, key))?.value ?? "");
  return { key, type: isOld ? "sse" : "http" };
}

/** The key under which a product writes headers. */
export function headersKey(product: Product): string {
  return product === "codex" ? "http_headers" : "headers";
}

export type Pairs = Readonly<Record<string, string>>;

/** Headers whose values Codex reads from variables. */
export function referredHeaders(node: MapNode, product: Product, variables: Variables): Pairs {
  if (product !== "codex") return {};
  const bearer = readText(nodeAt(node, "bearer_token_env_var"))?.value;
  const named = entriesAt(node, "env_http_headers").flatMap(([header, variable]) => {
    const name = readText(variable)?.value;
    return name === undefined ? [] : [[header, refer(name)] as const];
  });
  return {
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${refer(bearer)}` }),
    ...Object.fromEntries(named),
  };

  function refer(name: string): string {
    variables.note(name, null);
    return `\${${name}}`;
  }
}

/** Variables that Codex passes on if they are set. */
export function handedOn(node: MapNode, product: Product): Pairs {
  if (product !== "codex") return {};
  const names = itemsAt(node, "env_vars").flatMap((item) => readText(item) ?? readText(nodeAt(item, "name")) ?? []);
  return Object.fromEntries(names.map(({ value }) => [value, `\${${value}:-}`]));
}

/** The tools that a server is limited to, and those that are removed. */
export function toolLists(node: MapNode): {
  readonly only: readonly string[] | null;
  readonly without: readonly string[];
} {
  const names = (...keys: readonly string[]) =>
    keys.map((key) => readNames(nodeAt(node, key))?.value.map(({ value }) => value)).find((list) => list !== undefined);
  return {
    only: names("tools", "includeTools", "enabled_tools") ?? null,
    without: names("excludeTools", "disabled_tools", "disabledTools") ?? [],
  };
}
