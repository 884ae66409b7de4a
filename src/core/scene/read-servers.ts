import { defaultOrigin, nameList, type Sourced, sourced } from "../codes/origin.ts";
import { boolean, fieldsOf, isObject, listOf, type Reader, type Report, string, worldOrigin } from "./read-shape.ts";
import { names, sourcedOf } from "./read-sourced.ts";
import { deferral } from "./read-tool.ts";
import type { Pin, Policy, Server, ServerMatch } from "./scene.ts";

const SERVER_KEYS = new Set([
  "tools",
  "defer",
  "group",
  "feature",
  "url",
  "command",
  "args",
  "launch",
  "instructions",
] as const);
const POLICY_KEYS = new Set(["allowedMcpServers", "deniedMcpServers", "deniedTools"] as const);
const MATCH_KEYS = new Set(["serverName", "serverUrl", "serverCommand"] as const);
const PIN_KEYS = new Set(["signature", "approved", "launch", "signals"] as const);

export function readServer(value: unknown, path: string, report: Report, name: string): Server {
  const fields = fieldsOf(value, path, report, SERVER_KEYS);
  const command = fields.read("command", string);
  const args = fields.read("args", listOf(string));
  if (command === null && args !== null) report.problem(`${path}.command`, "a string, because there are args", null);
  return {
    name,
    origin: worldOrigin(report.file, path),
    tools: fields.read("tools", names),
    defer: fields.read("defer", sourcedOf(deferral)) ?? sourced("auto"),
    group: fields.read("group", sourcedOf(string)),
    feature: fields.read("feature", sourcedOf(string)),
    url: fields.read("url", string),
    argv: command === null ? null : [command, ...(args ?? [])],
    launch: fields.read("launch", string),
    instructions: fields.read("instructions", string),
  };
}

/** One line of a policy: a server's name, or an object that says by what the server is known (G7). */
const readMatch: Reader<ServerMatch> = (value, path, report) => {
  if (typeof value === "string") return { by: "name", name: value };
  const expected = "a server's name, or an object with one of serverName, serverUrl, serverCommand";
  if (!isObject(value)) {
    report.problem(path, expected, value);
    return NO_MATCH;
  }
  const fields = fieldsOf(value, path, report, MATCH_KEYS);
  const name = fields.read("serverName", string);
  const url = fields.read("serverUrl", string);
  const argv = fields.read("serverCommand", listOf(string));
  const matches: ServerMatch[] = [];
  if (name !== null) matches.push({ by: "name", name });
  if (url !== null) matches.push({ by: "url", url });
  if (argv !== null) matches.push({ by: "command", argv });
  if (matches.length !== 1) report.problem(path, expected, value);
  return matches[0] ?? NO_MATCH;
};

const NO_MATCH: ServerMatch = { by: "name", name: "" };
const readMatches: Reader<readonly Sourced<ServerMatch>[]> = listOf(sourcedOf(readMatch));

export const readPolicy: Reader<Policy> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, POLICY_KEYS);
  return {
    allowedServers: fields.read("allowedMcpServers", sourcedOf(readMatches)),
    deniedServers: fields.read("deniedMcpServers", readMatches) ?? [],
    deniedTools: fields.read("deniedTools", names) ?? nameList([], defaultOrigin),
  };
};

export const readPin: Reader<Pin> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, PIN_KEYS);
  const signals = fields.read("signals", listOf(string));
  return {
    ...(signals === null ? {} : { signals }),
    signature: fields.read("signature", string) ?? "",
    approved: fields.read("approved", boolean) ?? true,
    launch: fields.read("launch", string),
  };
};
