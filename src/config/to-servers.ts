import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type Origin, sourced } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import type { ExtensionConfig, OAuthConfig, ProcessSpec, ServerConfig, Transport } from "./config.ts";
import { type ConfigNode, mapNode, nodeAt, toCanonicalText } from "./config-node.ts";
import { expandVariables } from "./expand-variables.ts";
import { entriesAt, itemsAt, readChoice, readFlag, readNames, readNumber, readText } from "./read-node.ts";

/** What turning written values into usable ones needs. */
export interface Surroundings {
  /** Variables to expand; null where values are literal, as they are in a program's own options. */
  readonly env: Readonly<Record<string, string | undefined>> | null;
  readonly home: string;
  /** The folder that relative paths of a value start from. */
  readonly baseOf: (origin: Origin) => string;
  readonly notices: Notice[];
  /** What the `envFile` written in a place says; absent where none is read. */
  readonly envFiles?: ReadonlyMap<ConfigNode, ReadonlyMap<string, string>>;
}

export const DEFERRALS = ["auto", "never"] as const;
const ISOLATIONS = ["shared", "client"] as const;
const LAUNCH_KEYS = ["type", "command", "args", "env", "envFile", "inheritEnv", "cwd", "url", "headers"];

export function toServers(node: ConfigNode | undefined, around: Surroundings): ReadonlyMap<string, ServerConfig> {
  return new Map(entriesAt(node).map(([name, server]) => [name, toServer(name, server, around)]));
}

export function toExtensions(node: ConfigNode | undefined, around: Surroundings): readonly ExtensionConfig[] {
  return itemsAt(node).map((item) => {
    const name = readText(nodeAt(item, "name"))?.value ?? "";
    const expander = createExpander(around);
    const spec = toProcess(item, expander, around);
    expander.report(`extension ${name}`, name, item.origin);
    return { name, origin: item.origin, ...spec, unset: expander.unset };
  });
}

function toServer(name: string, node: ConfigNode, around: Surroundings): ServerConfig {
  const expander = createExpander(around);
  const transport = toTransport(node, expander, around);
  const oauth = toOAuth(nodeAt(node, "oauth"), expander);
  const enabled = readFlag(nodeAt(node, "enabled")) ?? sourced(true);
  if (enabled.value) expander.report(`server ${name}`, name, node.origin);
  return {
    name,
    origin: node.origin,
    transport,
    oauth,
    launch: launchHash(node),
    tools: readNames(nodeAt(node, "tools")),
    timeout: readNumber(nodeAt(node, "timeout")),
    startTimeout: readNumber(nodeAt(node, "startTimeout")),
    inheritEnv: toInherited(nodeAt(node, "inheritEnv")),
    feature: readText(nodeAt(node, "feature")),
    defer: readChoice(nodeAt(node, "defer"), DEFERRALS) ?? sourced("auto"),
    group: readText(nodeAt(node, "group")),
    trustAnnotations: readFlag(nodeAt(node, "trustAnnotations")) ?? sourced(false),
    isolation: readChoice(nodeAt(node, "isolation"), ISOLATIONS) ?? sourced("shared"),
    enabled,
    unset: expander.unset,
  };
}

function toTransport(node: ConfigNode, expander: Expander, around: Surroundings): Transport {
  const url = readText(nodeAt(node, "url"));
  if (url === null) {
    const { env, ...rest } = toProcess(node, expander, around);
    const file = nodeAt(node, "envFile");
    const fromFile = file === undefined ? undefined : around.envFiles?.get(file);
    return { type: "stdio", ...rest, env: new Map([...(fromFile ?? []), ...env]) };
  }
  const type = readText(nodeAt(node, "type"))?.value === "sse" ? "sse" : "http";
  return { type, url: expander.expand(url.value), headers: expander.expandMap(nodeAt(node, "headers")) };
}

function toOAuth(node: ConfigNode | undefined, expander: Expander): OAuthConfig | null {
  if (node === undefined) return null;
  const textAt = (key: string): string | null => {
    const written = readText(nodeAt(node, key));
    return written === null ? null : expander.expand(written.value);
  };
  return {
    clientId: textAt("clientId"),
    clientSecret: textAt("clientSecret"),
    scope: readText(nodeAt(node, "scope"))?.value ?? null,
    callbackPort: readNumber(nodeAt(node, "callbackPort"))?.value ?? null,
  };
}

function toProcess(node: ConfigNode, expander: Expander, { baseOf }: Surroundings): ProcessSpec {
  const cwd = readText(nodeAt(node, "cwd"));
  return {
    command: expander.expand(readText(nodeAt(node, "command"))?.value ?? ""),
    args: itemsAt(node, "args").map((arg) => expander.expand(readText(arg)?.value ?? "")),
    env: expander.expandMap(nodeAt(node, "env")),
    cwd: cwd === null ? null : resolve(baseOf(cwd.origin), cwd.value),
  };
}

function toInherited(node: ConfigNode | undefined): ServerConfig["inheritEnv"] {
  const names = readNames(node);
  return names === null ? readFlag(node) : { value: names.value.map(({ value }) => value), origin: names.origin };
}

/** Of the values as written, so that a rotated token is no other way of starting. */
function launchHash(node: ConfigNode): string {
  const parts = LAUNCH_KEYS.flatMap((key): [string, ConfigNode][] => {
    const part = nodeAt(node, key);
    return part === undefined ? [] : [[key, part]];
  });
  return createHash("sha256")
    .update(toCanonicalText(mapNode(parts, node.origin)))
    .digest("hex");
}

interface Expander {
  readonly unset: readonly string[];
  expand(text: string): string;
  expandMap(node: ConfigNode | undefined): ReadonlyMap<string, string>;
  /** Gives the notice about what is not set, if anything. */
  report(what: string, name: string, origin: Origin): void;
}

export function createExpander({ env, notices }: Pick<Surroundings, "env" | "notices">): Expander {
  const unset: string[] = [];
  const expand = (text: string) => {
    if (env === null) return text;
    const expanded = expandVariables(text, env);
    for (const name of expanded.unset) if (!unset.includes(name)) unset.push(name);
    return expanded.text;
  };
  return {
    unset,
    expand,
    expandMap: (node) => new Map(entriesAt(node).map(([key, value]) => [key, expand(readText(value)?.value ?? "")])),
    report(what, name, origin) {
      if (unset.length === 0) return;
      const variables = unset.map((variable) => `\${${variable}}`).join(", ");
      const text = `${what} is left out: ${variables} ${unset.length === 1 ? "is" : "are"} not set`;
      notices.push({ level: "warning", code: "config.variable-unset", text, names: [name, ...unset], origin });
    },
  };
}
