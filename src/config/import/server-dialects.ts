import { type MapNode, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readNames, readText } from "../../core/shape/read-node.ts";
import { PRODUCTS, type Product } from "./products.ts";
import type { Variables } from "./refer-secrets.ts";
import { SERVER_KEYS } from "./server-keys.ts";

/** The address of a remote server, and its transport unless a type is given. */
export interface ServerAddress {
  readonly key: string;
  readonly type: "http" | "sse";
}

export function serverAddress(node: MapNode, product: Product): ServerAddress {
  const { addresses, oldAddress } = PRODUCTS[product];
  const textAt = (key: string): string | undefined => readText(nodeAt(node, key))?.value;
  const found = addresses.find(([key]) => textAt(key) !== undefined) ?? addresses.find(([key]) => key === "url");
  const [key, type] = found ?? ["url", "http"];
  return { key, type: oldAddress?.test(textAt(key) ?? "") === true ? "sse" : type };
}

export type Pairs = Readonly<Record<string, string>>;

/** Headers whose values are read from variables. */
export function referredHeaders(node: MapNode, product: Product, variables: Variables): Pairs {
  if (PRODUCTS[product].namesVariables !== true) return {};
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

/** Variables that are passed on if they are set. */
export function handedOn(node: MapNode, product: Product): Pairs {
  if (PRODUCTS[product].namesVariables !== true) return {};
  const names = itemsAt(node, "env_vars").flatMap((item) => readText(item) ?? readText(nodeAt(item, "name")) ?? []);
  return Object.fromEntries(names.map(({ value }) => [value, `\${${value}:-}`]));
}

/** The tools that a server is limited to, and those that are removed. */
export function toolLists(node: MapNode): {
  readonly only: readonly string[] | null;
  readonly without: readonly string[];
} {
  const names = (keys: readonly string[]) =>
    keys.map((key) => readNames(nodeAt(node, key))?.value.map(({ value }) => value)).find((list) => list !== undefined);
  return {
    only: names(SERVER_KEYS.only) ?? null,
    without: names(SERVER_KEYS.without) ?? [],
  };
}
