import { scanDefinition } from "../../../core/trust/scan-definition.ts";
import { SIGNALS } from "../../../core/trust/signal.ts";
import { withDropped } from "../../../system/text/clean-content.ts";
import { cleanTexts } from "../../../system/text/clean-texts.ts";
import { isObject, type Params } from "../wire/json-rpc.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isFlag: Check = (value) => typeof value === "boolean";
const isRole: Check = (value) => value === "user" || value === "assistant";
const isShare: Check = (value) => typeof value === "number" && value >= 0 && value <= 1;
const isListOf =
  (isItem: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isItem);
const isShape =
  (needed: Readonly<Record<string, Check>>, further: Readonly<Record<string, Check>> = {}): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(needed).every(([key, isRight]) => isRight(value[key])) &&
    Object.entries(further).every(([key, isRight]) => value[key] === undefined || isRight(value[key]));

/** What the protocol requires of each field of a prompt, a resource or a template; unknown fields stay. */
const FIELDS: ReadonlyMap<string, Check> = new Map([
  ["title", isText],
  ["description", isText],
  ["mimeType", isText],
  ["size", isNumber],
  ["_meta", isObject],
  ["arguments", isListOf(isShape({ name: isText }, { title: isText, description: isText, required: isFlag }))],
  ["annotations", isShape({}, { audience: isListOf(isRole), priority: isShare, lastModified: isText })],
  [
    "icons",
    isListOf(
      isShape(
        { src: isText },
        { mimeType: isText, sizes: isListOf(isText), theme: (theme) => theme === "light" || theme === "dark" },
      ),
    ),
  ],
]);

/**
 * An item of a server's list as clients get it, null if it is none. Clients refuse a whole list for one wrong field,
 * and the list is that of all servers: so a wrong field is removed, and a resource without a name gets its address as
 * name.
 */
export function toListedItem(item: unknown, key: "name" | "uri" | "uriTemplate"): Params | null {
  if (!isObject(item) || typeof item[key] !== "string") return null;
  const fields = Object.entries(item).filter(([name, value]) => FIELDS.get(name)?.(value) !== false);
  const right = fields.length === Object.keys(item).length ? item : Object.fromEntries(fields);
  const named = typeof right.name === "string" ? right : { ...right, name: item[key] };
  // A prompt's name identifies it, and stays unchanged.
  const { value, dropped } = cleanTexts(named, key === "name" ? [] : ["name"]);
  return withoutHeldTexts(dropped === 0 ? named : { ...value, _meta: withDropped(named._meta, dropped) }, key);
}

/** Why texts of an item are missing: the signals of the scanner. */
const WITHHELD = "toolcrib/withheld";

/** Models read these texts like those of tools: if the scanner would hold a tool back, they are removed. */
function withoutHeldTexts(item: Params, key: "name" | "uri" | "uriTemplate"): Params {
  const held = scanDefinition(toDefinition(item)).filter(({ name }) => SIGNALS[name] !== "warn");
  if (held.length === 0) return item;
  const { title: _title, description: _description, ...rest } = item;
  return {
    ...rest,
    ...(key === "name" ? {} : { name: item[key] }),
    ...(Array.isArray(item.arguments) ? { arguments: item.arguments.map(toBareArgument) } : {}),
    _meta: { ...(isObject(item._meta) ? item._meta : {}), [WITHHELD]: [...new Set(held.map(({ name }) => name))] },
  };
}

function toBareArgument(argument: Params): Params {
  const { title: _title, description: _description, ...rest } = argument;
  return rest;
}

function toDefinition({ name, title, description, arguments: given }: Params) {
  const toText = (value: unknown): string => (typeof value === "string" ? value : "");
  const properties = (Array.isArray(given) ? given : []).map((argument: Params) => [toText(argument.name), argument]);
  return {
    name: toText(name),
    title: `${toText(name)}\n${toText(title)}`,
    description: toText(description),
    inputSchema: { type: "object", properties: Object.fromEntries(properties) },
    outputSchema: null,
    claims: { readOnly: false, harmless: false, closedWorld: false },
  };
}
