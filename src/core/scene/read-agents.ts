import type { NamedSet } from "../catalog/named-set.ts";
import { nameList, sourced } from "../codes/origin.ts";
import { anything, boolean, fieldsOf, listOf, type Reader, string, worldOrigin } from "./read-shape.ts";
import { names, sourcedOf } from "./read-sourced.ts";
import { deferral } from "./read-tool.ts";
import type { Agent, Skill } from "./scene.ts";

const AGENT_KEYS = new Set([
  "name",
  "description",
  "prompt",
  "tools",
  "disallowedTools",
  "toolGroups",
  "mcpServers",
  "skills",
  "model",
  "defer",
  "coordinator",
] as const);
const DEFAULT_AGENT_KEYS = new Set(["excludedTools"] as const);
const SKILL_KEYS = new Set(["name", "active", "allowedTools", "prompt", "description"] as const);
const SET_KEYS = new Set(["id", "name", "members", "weak"] as const);

export const readAgent: Reader<Agent> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, AGENT_KEYS);
  fields.read("description", string);
  fields.read("model", string);
  fields.read("mcpServers", anything);
  fields.read("skills", listOf(string));
  return {
    name: fields.read("name", string) ?? "",
    origin: worldOrigin(report.file, path),
    tools: fields.read("tools", names),
    disallowed: fields.read("disallowedTools", names) ?? nameList([]),
    toolGroups: fields.read("toolGroups", names),
    prompt: fields.read("prompt", string),
    defer: fields.read("defer", sourcedOf(deferral)) ?? sourced("auto"),
    coordinator: fields.read("coordinator", sourcedOf(boolean)) ?? sourced(false),
  };
};

export const readDefaultExcluded: Reader<Agent["disallowed"]> = (value, path, report) =>
  fieldsOf(value, path, report, DEFAULT_AGENT_KEYS).read("excludedTools", names) ?? nameList([]);

export const readSkill: Reader<Skill> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, SKILL_KEYS);
  return {
    name: fields.read("name", string) ?? "",
    origin: worldOrigin(report.file, path),
    active: fields.read("active", boolean) ?? true,
    allowedTools: fields.read("allowedTools", names),
    prompt: fields.read("prompt", string),
    description: fields.read("description", string),
  };
};

export const readSet: Reader<NamedSet> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, SET_KEYS);
  const id = fields.read("id", string);
  const name = fields.read("name", string);
  return {
    id: id ?? `toolset:${name ?? ""}`,
    name: name ?? id ?? "",
    members: fields.read("members", names) ?? nameList([]),
    ...(fields.read("weak", boolean) === true ? { weak: true } : {}),
  };
};
