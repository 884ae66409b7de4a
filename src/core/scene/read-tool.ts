import { INTERNAL_MARKS, OWNER_KINDS, type Owner, SOURCE_KINDS, type Tool, toTool } from "../tool/tool.ts";
import type { Traits } from "../tool/traits.ts";
import {
  anything,
  boolean,
  fieldsOf,
  isObject,
  listOf,
  mapOf,
  number,
  oneOf,
  type Reader,
  string,
} from "./read-shape.ts";

const TOOL_KEYS = new Set([
  "name",
  "id",
  "source",
  "server",
  "owner",
  "aliases",
  "examples",
  "group",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "harmless",
  "traits",
  "requires",
  "variant",
  "feature",
  "defer",
  "internal",
  "overridesBuiltInTool",
  "skipPermission",
  "instructions",
  "timeout",
  "rename",
] as const);
const SHOWN_TOOL_KEYS = new Set([...TOOL_KEYS, "original"] as const);
const OWNER_KEYS = new Set(["kind", "name"] as const);
const TRAIT_KEYS = new Set([
  "readOnly",
  "concurrencySafe",
  "idempotent",
  "interrupt",
  "abortSiblings",
  "hostShell",
  "openWorld",
] as const satisfies readonly (keyof Traits)[]);

const strings = listOf(string);
const flags = mapOf(boolean);
const source = oneOf(SOURCE_KINDS);
const milliseconds = number(0);
export const deferral = oneOf(["auto", "never"]);
const internalMark = oneOf(INTERNAL_MARKS);

/** One tool of a world, possibly changed by overrides since its source defined it. */
export const readTool: Reader<Tool> = (value, path, report) => readWith(SHOWN_TOOL_KEYS, value, path, report);

/** A definition as its source gave it has no earlier form, so this does not nest. */
const readOriginal: Reader<Tool> = (value, path, report) => readWith(TOOL_KEYS, value, path, report);

function readWith(keys: ReadonlySet<ToolKey>, ...[value, path, report]: Parameters<Reader<Tool>>): Tool {
  const fields = fieldsOf(value, path, report, keys);
  const name = fields.read("name", string);
  if (name === null && isObject(value)) report.problem(`${path}.name`, "a string", null);
  const from = fields.read("source", source) ?? "builtin";
  return toTool({
    name: name ?? "",
    source: from,
    server: fields.read("server", string),
    owner: fields.read("owner", readOwner),
    id: fields.read("id", string),
    aliases: fields.read("aliases", strings) ?? [],
    examples: fields.read("examples", strings) ?? [],
    group: fields.read("group", string),
    title: fields.read("title", string),
    description: fields.read("description", string) ?? "",
    inputSchema: fields.read("inputSchema", anything),
    outputSchema: fields.read("outputSchema", anything),
    harmless: fields.read("harmless", boolean) ?? false,
    traits: fields.read("traits", readTraits),
    requires: toNeeds(fields.read("requires", flags), from === "builtin" && name === "ask_user"),
    variant: fields.read("variant", string),
    feature: fields.read("feature", string),
    defer: fields.read("defer", deferral) ?? "auto",
    internal: fields.read("internal", internalMark),
    overridesBuiltInTool: fields.read("overridesBuiltInTool", boolean) ?? false,
    skipPermission: fields.read("skipPermission", boolean) ?? false,
    instructions: fields.read("instructions", string),
    timeout: fields.read("timeout", milliseconds),
    rename: fields.read("rename", string),
    original: keys.has("original") ? fields.read("original", readOriginal) : null,
  });
}

type ToolKey = typeof SHOWN_TOOL_KEYS extends Set<infer Key> ? Key : never;

const NO_NEEDS: readonly string[] = [];

function toNeeds(stated: ReadonlyMap<string, boolean> | null, asksUser: boolean): readonly string[] {
  if (stated === null) return asksUser ? ["userInput"] : NO_NEEDS;
  const needs = new Set<string>();
  for (const [need, wanted] of stated) if (wanted) needs.add(need);
  if (asksUser) needs.add("userInput");
  return [...needs];
}

const readOwner: Reader<Owner> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, OWNER_KEYS);
  return { kind: fields.read("kind", oneOf(OWNER_KINDS)) ?? "host", name: fields.read("name", string) ?? "" };
};

const readTraits: Reader<Partial<Traits>> = (value, path, report) => {
  const fields = fieldsOf(value, path, report, TRAIT_KEYS);
  return stated<Traits>({
    readOnly: fields.read("readOnly", boolean),
    concurrencySafe: fields.read("concurrencySafe", boolean),
    idempotent: fields.read("idempotent", boolean),
    interrupt: fields.read("interrupt", oneOf(["cancel", "finish"])),
    abortSiblings: fields.read("abortSiblings", boolean),
    hostShell: fields.read("hostShell", boolean),
    openWorld: fields.read("openWorld", boolean),
  });
};

function stated<T extends object>(members: { readonly [Key in keyof T]: T[Key] | null }): Partial<T> {
  const entries = Object.entries(members).filter(([, member]) => member !== null);
  return Object.fromEntries(entries) as Partial<T>; // The nulls are gone, and every other member has its type from T.
}
