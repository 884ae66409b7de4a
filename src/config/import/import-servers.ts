import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isEmpty, isNull, type MapNode, nodeAt, toNode } from "../../core/shape/node.ts";
import { checkShape } from "../../core/shape/read.ts";
import { entriesAt, itemsAt, readFlag, readNumber, readText } from "../../core/shape/read-node.ts";
import { serverShape } from "../shape/server-shape.ts";
import { convertReferences, type Inputs } from "./convert-references.ts";
import { importLogin } from "./import-login.ts";
import { PRODUCTS, type Product } from "./products.ts";
import {
  isLikelySecret,
  isLikelySecretHeader,
  referAddress,
  referArguments,
  referValue,
  type Variables,
} from "./refer-secrets.ts";
import { handedOn, type Pairs, referredHeaders, serverAddress, toolLists } from "./server-dialects.ts";
import { KNOWN_KEYS, SERVER_KEYS, TIME_KEYS } from "./server-keys.ts";

export interface ImportedServer {
  readonly name: string;
  /** As written into our file, without any secret. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  /** Its tools that must not be offered. */
  readonly without?: readonly string[];
}

/** Settings other than servers, each with its source. */
export interface ImportedSetting {
  /** Keys down to the value. */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
}

/** Something that could not be imported, and why. */
export interface NotImported {
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

/** Every server of a map, or of a list, in a product's format. */
export function importServers(servers: ConfigNode | undefined, context: ImportContext): readonly ImportedServer[] {
  const isList = servers?.kind === "list" && PRODUCTS[context.product].isList === true;
  const named = isList ? servers.items.map(withName) : entriesAt(servers);
  return named.flatMap(([name, node]) => {
    if (node.kind !== "map") {
      context.leave(`server "${name}"`, "its entry is not a map of settings", node.origin);
      return [];
    }
    if (name.trim() === "") {
      context.leave(`server "${name}"`, "it has no name", node.origin);
      return [];
    }
    if (isOurs(name, node)) {
      context.leave(`server "${name}"`, "it is Toolcrib itself, which would go round in circles", node.origin);
      return [];
    }
    const usual = PRODUCTS[context.product].toUsual?.(node) ?? node;
    const entry = importEntry(`server "${name}"`, name, usual, context);
    const { without } = toolLists(usual);
    const excluded = without.length === 0 ? {} : { without };
    return entry === null ? [] : [{ name, entry, origin: node.origin, ...excluded }];
  });
}

function withName(server: ConfigNode): readonly [string, ConfigNode] {
  return [readText(nodeAt(server, "name"))?.value ?? "", server];
}

/** A client that was configured to use us lists us too: under our name, or by our command. */
function isOurs(name: string, node: ConfigNode): boolean {
  if (name === "toolcrib") return true;
  const words = [nodeAt(node, "command"), ...itemsAt(node, "command"), ...itemsAt(node, "args")].map(
    (word) => readText(word)?.value ?? "",
  );
  return words.some((word) => /(?:^|[/\\])toolcrib(?:\.[cm]?js|\.cmd)?(?:@[^/\\]+)?$/.test(word));
}

const TYPES = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["remote", "http"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["sse", "sse"],
]);

const WHY_NOT = new Map([
  ["oauth", "log in with: toolcrib servers login NAME; a client of your own goes under oauth"],
  ["auth", "log in with: toolcrib servers login NAME; a client of your own goes under oauth"],
  ["headersHelper", "commands that make headers are not run; put a token into its headers"],
  ["autoApprove", "approvals are rules here: write them into permissions.allow"],
  ["alwaysAllow", "approvals are rules here: write them into permissions.allow"],
  ["trust", "approvals are rules here: write NAME/* into permissions.allow"],
  ["default_tools_approval_mode", "approvals are rules here: write them into permissions"],
  ["authProviderType", "log in with: toolcrib servers login NAME"],
  ["tool_name_prefix", "names always carry the server; see wireNames"],
  ["tool_routing", "there is no routing by preference"],
  ["routing", "there is no routing by preference"],
]);

/** How something is started or reached, with references instead of secrets; null if that cannot be imported. */
export function importEntry(
  what: string,
  name: string,
  node: MapNode,
  context: ImportContext,
): Readonly<Record<string, unknown>> | null {
  const { product, variables, inputs } = context;
  const leave = (why: string, origin = node.origin): null => {
    context.leave(what, why, origin);
    return null;
  };
  const foreign = new Set<string>();
  const convert = (text: string): string => {
    const converted = convertReferences(text, product, inputs, variables);
    for (const reference of converted.foreign) foreign.add(reference);
    return converted.text;
  };
  const flaw = findFlaw(node);
  if (flaw !== null) return leave(flaw.why, flaw.origin);
  const text = (key: string) => readText(nodeAt(node, key))?.value ?? null;
  const { key: urlKey, type: remote } = serverAddress(node, product);
  const [url, command, said] = [text(urlKey), text("command"), text("type") ?? text("transport")];
  if (url === null && command === null) return leave("it has neither a command nor a url");
  const { prefersAddress = false, headers, title } = PRODUCTS[product];
  const isRemote = command === null || (prefersAddress && url !== null);
  const type = said === null ? (isRemote ? remote : "stdio") : TYPES.get(said);
  if (type === undefined) return leave(`its type is ${JSON.stringify(said)}, and only stdio, http and sse are there`);
  const needed = type === "stdio" ? command : url;
  if (needed === null) return leave(`its type is ${said}, which takes a ${type === "stdio" ? "command" : "url"}`);
  const address = type === "stdio" ? null : referAddress(convert(needed), name, variables);
  if (address !== null && !/^(?:https?:\/\/|\$\{)/i.test(address))
    return leave("its url is not an http or https address, and it has no other");
  const secretHeader = (key: string, value: string) =>
    isLikelySecretHeader(key, value) ? referValue(`${name}_${key}`, value, name, variables) : value;
  const reach =
    address === null
      ? toProcess(name, node, convert, context)
      : {
          type,
          url: address,
          ...pairs(node, [headers, "headers"], secretHeader, convert, referredHeaders(node, product, variables)),
        };
  const login = type === "stdio" ? null : importLogin(node, name, convert, variables);
  const oauth = login === null ? {} : { oauth: login.oauth };
  if (foreign.size > 0) return leave(`${[...foreign].join(", ")} means nothing outside ${title}`);
  const entry: Readonly<Record<string, unknown>> = { ...reach, ...oauth, ...toCommon(node) };
  if (typeof entry.cwd === "string" && entry.cwd.includes("${"))
    return leave("its cwd has a variable, and folders take none here", nodeAt(node, "cwd")?.origin);
  const [problem] = checkShape(toNode(entry, node.origin), serverShape, what).reported;
  if (problem !== undefined) return leave(problem.what);
  const idle = new Set<string>(type === "stdio" ? [urlKey, headers, "headers"] : SERVER_KEYS.process);
  for (const [key, value] of node.entries) {
    const why = key === login?.key ? login.leftOut : whyNot(key, value, idle, type);
    if (why !== null)
      context.leave(
        `${key} of ${what}`,
        why.replace(" NAME", () => ` ${name}`),
        value.origin,
      );
  }
  return entry;
}

/** A value of the wrong type: ignoring it would start the server in another way. */
function findFlaw(node: MapNode): { readonly why: string; readonly origin: Origin } | null {
  for (const key of ["command", ...SERVER_KEYS.address, "cwd", "envFile", ...SERVER_KEYS.type]) {
    const value = nodeAt(node, key);
    if (value !== undefined && value.kind !== "scalar") return { why: `${key} must be one text`, origin: value.origin };
  }
  const args = nodeAt(node, "args");
  if (args !== undefined && !isNull(args)) {
    if (args.kind !== "list") return { why: "args must be a list of texts", origin: args.origin };
    const at = args.items.findIndex((item) => item.kind !== "scalar" || item.value === null);
    const item = args.items[at];
    if (item !== undefined) return { why: `argument ${at + 1} is not text`, origin: item.origin };
  }
  for (const key of ["env", ...SERVER_KEYS.headers]) {
    const map = nodeAt(node, key);
    if (map === undefined || isNull(map)) continue;
    if (map.kind !== "map") return { why: `${key} must be a map of texts`, origin: map.origin };
    const odd = [...map.entries].find(([, value]) => value.kind !== "scalar");
    if (odd !== undefined) return { why: `${key}.${odd[0]} must be one text`, origin: odd[1].origin };
  }
  return null;
}

/** Why a setting is not imported; null if it is, or if it changes nothing. */
function whyNot(key: string, value: ConfigNode, idle: ReadonlySet<string>, type: string): string | null {
  if (isNull(value) || (idle.has(key) && isEmpty(value))) return null;
  if (idle.has(key)) return type === "stdio" ? "it is started by its command" : "it is reached by its url";
  if (key === "envFile" && envFileOf(value) === null) return "it has a variable; write its path in the workspace";
  if (key === "tools" && value.kind === "map")
    return "there are no settings of single tools in a server; see toolOverrides";
  if (key === "tools" && value.kind !== "list" && readText(value)?.value !== "*") return "it must be a list of names";
  if (key === "trust" && readFlag(value)?.value === false) return null;
  if (TIME_KEYS.has(key)) return (readNumber(value)?.value ?? 0) > 0 ? null : "it must be a number above 0";
  if (key === "env" || key === "headers") {
    const unset = entriesAt(value).flatMap(([name, item]) => (isNull(item) ? [name] : []));
    return unset.length === 0 ? null : `${unset.join(", ")} has no value, and variables are not taken away here`;
  }
  return KNOWN_KEYS.has(key) ? null : (WHY_NOT.get(key) ?? "there is no such setting here");
}

type Convert = (text: string) => string;

/** Relative to the workspace, as written here. */
function envFileOf(node: ConfigNode | undefined): string | null {
  const file = readText(node)?.value.replace(/^\$\{workspaceFolder\}\/?/, "") ?? null;
  return file?.includes("${") === true ? null : file;
}

function toProcess(
  name: string,
  node: MapNode,
  convert: Convert,
  { variables, inputs, product }: ImportContext,
): Readonly<Record<string, unknown>> {
  const args = itemsAt(node, "args").map((arg) => convert(readText(arg)?.value ?? ""));
  const cwd = readText(nodeAt(node, "cwd"))?.value;
  const envFile = envFileOf(nodeAt(node, "envFile"));
  return {
    command: convert(readText(nodeAt(node, "command"))?.value ?? ""),
    ...(args.length === 0 ? {} : { args: referArguments(args, name, variables) }),
    ...pairs(
      node,
      ["env"],
      (key, value) => (isLikelySecret(key, value) ? referValue(key, value, name, variables) : value),
      convert,
      handedOn(node, product),
    ),
    ...(envFile === null ? {} : { envFile }),
    ...(cwd === undefined ? {} : { cwd: convert(cwd.replaceAll("${userHome}", () => inputs.home)) }),
  };
}

/** What is under the first of the keys, renamed to the last; `known` are pairs that already refer to variables. */
function pairs(
  node: MapNode,
  keys: readonly ["env"] | readonly [string, "headers"],
  refer: (name: string, value: string) => string,
  convert: Convert,
  known: Pairs,
) {
  const entries = entriesAt(node, keys[0]).flatMap(([name, value]) => {
    const text = readText(value)?.value;
    return text === undefined ? [] : [[name, refer(name, convert(text))] as const];
  });
  const all = { ...known, ...Object.fromEntries(entries) };
  return Object.keys(all).length === 0 ? {} : { [keys.at(-1) ?? ""]: all };
}

function toCommon(node: MapNode): Readonly<Record<string, unknown>> {
  const { only: tools } = toolLists(node);
  const first = (keys: readonly string[]): number | undefined =>
    keys.map((key) => readNumber(nodeAt(node, key))?.value).find((value) => value !== undefined);
  const time = (milliseconds: readonly string[], seconds: readonly string[]): number | undefined => {
    const inSeconds = first(seconds);
    return first(milliseconds) ?? (inSeconds === undefined ? undefined : inSeconds * 1000);
  };
  const timeout = time(SERVER_KEYS.milliseconds, SERVER_KEYS.seconds);
  const startTimeout = time(SERVER_KEYS.startMilliseconds, SERVER_KEYS.startSeconds);
  const isOff =
    readFlag(nodeAt(node, "disabled"))?.value === true || readFlag(nodeAt(node, "enabled"))?.value === false;
  const isLoaded = readFlag(nodeAt(node, "alwaysLoad"))?.value === true;
  const isNever = SERVER_KEYS.defer.some((key) => readText(nodeAt(node, key))?.value === "never");
  return {
    ...(tools === null || (tools.length === 1 && tools[0] === "*") ? {} : { tools }),
    ...(timeout === undefined || timeout <= 0 ? {} : { timeout: Math.ceil(timeout) }),
    ...(startTimeout === undefined || startTimeout <= 0 ? {} : { startTimeout: Math.ceil(startTimeout) }),
    ...(isLoaded || isNever ? { defer: "never" } : {}),
    ...(isOff ? { enabled: false } : {}),
  };
}
