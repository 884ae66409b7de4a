import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isNull, type MapNode, nodeAt } from "../config-node.ts";
import { entriesAt, itemsAt, readFlag, readNames, readNumber, readText } from "../read-node.ts";
import { convertReferences, type Inputs } from "./convert-references.ts";
import type { Product } from "./find-foreign.ts";
import {
  isLikelySecret,
  isLikelySecretHeader,
  referAddress,
  referArguments,
  referValue,
  type Variables,
} from "./refer-secrets.ts";

export interface ImportedServer {
  readonly name: string;
  /** As it is written into our file: no secret is in it. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
}

/** Something that could not be taken over, and why. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  readonly origin: Origin;
}

export interface ImportContext {
  readonly product: Product;
  readonly inputs: Inputs;
  readonly variables: Variables;
  readonly leave: (what: string, why: string, origin: Origin) => void;
}

/** Every server of a map in the dialect of a product. */
export function importServers(servers: ConfigNode | undefined, context: ImportContext): readonly ImportedServer[] {
  return entriesAt(servers).flatMap(([name, node]) => {
    if (node.kind !== "map") {
      context.leave(`server "${name}"`, "its entry is not a map of settings", node.origin);
      return [];
    }
    if (isOurs(name, node)) {
      context.leave(`server "${name}"`, "it is Toolcrib itself, which would go round in circles", node.origin);
      return [];
    }
    const entry = importServer(name, node, context);
    return entry === null ? [] : [{ name, entry, origin: node.origin }];
  });
}

/** A client that was told to use us lists us too: under our name, or by our command. */
function isOurs(name: string, node: ConfigNode): boolean {
  if (name === "toolcrib") return true;
  const words = [nodeAt(node, "command"), ...itemsAt(node, "args")].map((word) => readText(word)?.value ?? "");
  return words.some((word) => /(?:^|[/\\])toolcrib(?:\.[cm]?js|\.cmd)?(?:@[^/\\]+)?$/.test(word));
}

const TYPES = new Map([
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["sse", "sse"],
]);

/** Keys that are read below, or that change nothing about the tools. */
const KNOWN = new Set(
  "type transport command args env cwd url serverUrl httpUrl headers tools timeout tool_call_timeout enabled disabled defer deferTools alwaysLoad description name gallery version displayName".split(
    " ",
  ),
);
const WHY_NOT = new Map([
  ["envFile", "files of variables are not read; export the variables before toolcrib starts"],
  ["oauth", "log in with: toolcrib servers login NAME; a client of your own goes under oauth"],
  ["auth", "log in with: toolcrib servers login NAME; a client of your own goes under oauth"],
  ["headersHelper", "commands that make headers are not run; put a token into its headers"],
  ["autoApprove", "approvals are rules here: write them into permissions.allow"],
  ["alwaysAllow", "approvals are rules here: write them into permissions.allow"],
  ["tool_name_prefix", "names always carry the server; see wireNames"],
  ["tool_routing", "there is no routing by preference"],
  ["routing", "there is no routing by preference"],
]);

function importServer(name: string, node: MapNode, context: ImportContext): Readonly<Record<string, unknown>> | null {
  const { product, variables, leave, inputs } = context;
  const what = `server "${name}"`;
  const foreign = new Set<string>();
  const convert = (text: string): string => {
    const converted = convertReferences(text, product, inputs, variables);
    for (const reference of converted.foreign) foreign.add(reference);
    return converted.text;
  };
  const text = (key: string) => readText(nodeAt(node, key))?.value ?? null;
  const url = text("url") ?? text("serverUrl") ?? text("httpUrl");
  const command = text("command");
  if (url === null && command === null) {
    leave(what, "it has neither a command nor a url", node.origin);
    return null;
  }
  const said = text("type") ?? text("transport");
  const reach =
    url === null
      ? toProcess(name, node, convert, variables)
      : {
          type: TYPES.get(said ?? "http") ?? "http",
          url: referAddress(convert(url), name, variables),
          ...pairs(
            node,
            "headers",
            (key, value) =>
              isLikelySecretHeader(key, value) ? referValue(`${name}_${key}`, value, name, variables) : value,
            convert,
          ),
        };
  if (foreign.size > 0) {
    leave(what, `${[...foreign].join(", ")} means nothing outside ${product}`, node.origin);
    return null;
  }
  for (const [key, value] of node.entries) {
    if (KNOWN.has(key) || isNull(value)) continue;
    leave(`${key} of ${what}`, WHY_NOT.get(key) ?? "there is no such setting here", value.origin);
  }
  return { ...reach, ...toCommon(node) };
}

type Convert = (text: string) => string;

function toProcess(
  name: string,
  node: MapNode,
  convert: Convert,
  variables: Variables,
): Readonly<Record<string, unknown>> {
  const args = itemsAt(node, "args").map((arg) => convert(readText(arg)?.value ?? ""));
  const cwd = readText(nodeAt(node, "cwd"))?.value;
  return {
    command: convert(readText(nodeAt(node, "command"))?.value ?? ""),
    ...(args.length === 0 ? {} : { args: referArguments(args, name, variables) }),
    ...pairs(
      node,
      "env",
      (key, value) => (isLikelySecret(key, value) ? referValue(key, value, name, variables) : value),
      convert,
    ),
    ...(cwd === undefined ? {} : { cwd: convert(cwd) }),
  };
}

function pairs(
  node: MapNode,
  key: "env" | "headers",
  refer: (name: string, value: string) => string,
  convert: Convert,
) {
  const entries = entriesAt(node, key).map(([name, value]) => [
    name,
    refer(name, convert(readText(value)?.value ?? "")),
  ]);
  return entries.length === 0 ? {} : { [key]: Object.fromEntries(entries) };
}

function toCommon(node: MapNode): Readonly<Record<string, unknown>> {
  const tools = readNames(nodeAt(node, "tools"))?.value.map(({ value }) => value);
  const seconds = readNumber(nodeAt(node, "tool_call_timeout"))?.value;
  const timeout = readNumber(nodeAt(node, "timeout"))?.value ?? (seconds === undefined ? undefined : seconds * 1000);
  const isOff =
    readFlag(nodeAt(node, "disabled"))?.value === true || readFlag(nodeAt(node, "enabled"))?.value === false;
  const isLoaded = readFlag(nodeAt(node, "alwaysLoad"))?.value === true;
  const isNever = [nodeAt(node, "defer"), nodeAt(node, "deferTools")].some((it) => readText(it)?.value === "never");
  return {
    ...(tools === undefined || (tools.length === 1 && tools[0] === "*") ? {} : { tools }),
    ...(timeout === undefined || timeout < 1 ? {} : { timeout }),
    ...(isLoaded || isNever ? { defer: "never" } : {}),
    ...(isOff ? { enabled: false } : {}),
  };
}
