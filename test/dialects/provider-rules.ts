import { Ajv2020 } from "ajv/dist/2020.js";
import type { DialectName } from "../../src/core/dialects/limits/limits.ts";
import { isRecord } from "../../src/core/shape/is-record.ts";
import { remember } from "../../src/core/shape/remember.ts";

/**
 * What each provider documents about names and schemas, written down a second time and as a checker: dialects must not
 * be judged by the very tables they use.
 */
type Check = (schema: Record<string, unknown>) => readonly string[];

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isDraft = ajv.getSchema("https://json-schema.org/draft/2020-12/schema");

const draft: Check = remember((schema: Record<string, unknown>) =>
  isDraft?.(schema) === true ? [] : [`not draft 2020-12: ${ajv.errorsText(isDraft?.errors)}`],
);

const ROOT_WORDS = ["anyOf", "oneOf", "allOf", "enum", "not"];
const objectRoot: Check = (schema) => [
  ...(schema.type === "object" ? [] : ["root is no object"]),
  ...ROOT_WORDS.filter((word) => word in schema).map((word) => `${word} at the root`),
];

const eachProperty =
  (pattern: RegExp): Check =>
  (schema) =>
    walk(schema).flatMap((node) =>
      Object.keys(record(node.properties))
        .filter((name) => !pattern.test(name))
        .map((name) => `property ${name}`),
    );

const arraysHaveItems: Check = (schema) =>
  walk(schema)
    .filter(({ type, items, prefixItems }) => [type].flat().includes("array") && !items && !prefixItems)
    .map(() => "array without items");

const refsResolve: Check = (schema) =>
  walk(schema).flatMap(({ $ref }) => {
    if (typeof $ref !== "string") return [];
    const name = decodeURIComponent($ref.replace("#/$defs/", ""));
    return $ref.startsWith("#/$defs/") && name in record(schema.$defs) ? [] : [`unresolved ${$ref}`];
  });

const GEMINI_WORDS = new Set(
  "type format title description enum items minItems maxItems properties required minimum maximum anyOf".split(" "),
);
const geminiSubset: Check = (schema) =>
  walk(schema).flatMap((node) => [
    ...Object.keys(node).filter((word) => !GEMINI_WORDS.has(word)),
    ...("anyOf" in node && Object.keys(node).length > 1 ? ["anyOf is not alone"] : []),
    ...("anyOf" in node || typeof node.type === "string" ? [] : ["no type"]),
    ...(list(node.enum).every((value) => typeof value === "string" && value !== "") ? [] : ["enum that is no text"]),
    ...list(node.required)
      .filter((name) => !(String(name) in record(node.properties)))
      .map((name) => `required ${name} is no property`),
  ]);

const OPENAI_STRICT_WORDS = new Set(
  "type properties required items enum anyOf description title format additionalProperties const $ref $defs pattern multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split(
    " ",
  ),
);
/** 5,000 properties, 10 levels, 1,000 choices and 120,000 characters of names and choices. */
const openaiStrictSize: Check = (schema) => {
  const nodes = walk(schema);
  const names = nodes.flatMap((node) => [...Object.keys(record(node.properties)), ...Object.keys(record(node.$defs))]);
  const choices = nodes.flatMap(({ enum: values }) => list(values));
  const characters = [...names, ...choices].reduce<number>((sum, text) => sum + String(text).length, 0);
  return [
    ...(nodes.flatMap((node) => Object.keys(record(node.properties))).length > 5_000 ? ["too many properties"] : []),
    ...(levelsOf(schema) > 10 ? [`${levelsOf(schema)} levels`] : []),
    ...(choices.length > 1_000 ? ["too many choices"] : []),
    ...(characters > 120_000 ? ["too many characters"] : []),
  ];
};

/** How deep objects and lists stand in each other. */
function levelsOf(schema: Record<string, unknown>): number {
  const inner = [
    ...[...SINGLE].map((word) => schema[word]),
    ...[...MAPS].flatMap((word) => Object.values(record(schema[word]))),
  ];
  const deeper = inner.filter(isRecord).map((node) => 1 + levelsOf(node));
  const beside = [...LISTS]
    .flatMap((word) => list(schema[word]))
    .filter(isRecord)
    .map(levelsOf);
  return Math.max(0, ...deeper, ...beside);
}

export const openaiStrict: Check = (schema) => [
  ...objectRoot(schema),
  ...openaiStrictSize(schema),
  ...walk(schema).flatMap((node) => {
    const names = Object.keys(record(node.properties));
    const isObject = node.type === "object";
    return [
      ...Object.keys(node).filter((word) => !OPENAI_STRICT_WORDS.has(word)),
      ...(isObject && node.additionalProperties !== false ? ["open object"] : []),
      ...(isObject && names.some((name) => !list(node.required).includes(name)) ? ["optional property"] : []),
      ...("$ref" in node && Object.keys(node).length > 1 ? ["words beside $ref"] : []),
    ];
  }),
];

export const anthropicStrict: Check = (schema) => [
  ...objectRoot(schema),
  ...walk(schema).flatMap((node) => [
    ...["$ref", "minimum", "maximum", "minLength", "maxLength", "pattern", "maxItems"].filter((word) => word in node),
    ...(typeof node.minItems === "number" && node.minItems > 1 ? ["minItems over 1"] : []),
    ...(node.type === "object" && node.additionalProperties !== false ? ["open object"] : []),
  ]),
];

export const PROVIDER_RULES: Record<DialectName, { readonly name: RegExp; readonly schema: readonly Check[] }> = {
  anthropic: {
    name: /^[a-zA-Z0-9_-]{1,64}$/,
    schema: [draft, objectRoot, refsResolve, eachProperty(/^[a-zA-Z0-9_.-]{1,64}$/)],
  },
  "openai-responses": { name: /^[a-zA-Z0-9_-]{1,64}$/, schema: [draft, objectRoot, refsResolve, arraysHaveItems] },
  "openai-chat": { name: /^[a-zA-Z0-9_-]{1,64}$/, schema: [draft, objectRoot, refsResolve, arraysHaveItems] },
  gemini: {
    name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    schema: [draft, objectRoot, geminiSubset, arraysHaveItems, eachProperty(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/)],
  },
  "ai-sdk": { name: /^[a-zA-Z0-9_-]{1,64}$/, schema: [draft, objectRoot, refsResolve] },
  mcp: { name: /^[A-Za-z0-9_.-]{1,128}$/, schema: [draft, refsResolve] },
};

const SINGLE = new Set("items additionalProperties not contains propertyNames if then else".split(" "));
const LISTS = new Set("anyOf oneOf allOf prefixItems".split(" "));
const MAPS = new Set("properties patternProperties $defs dependentSchemas".split(" "));

/** Every schema inside a schema, itself first; each check of thousands of schemas asks for them. */
const walk = remember((schema: Record<string, unknown>): readonly Record<string, unknown>[] => {
  const found: Record<string, unknown>[] = [];
  const enter = (node: unknown): void => {
    if (!isRecord(node)) return;
    found.push(node);
    for (const word of Object.keys(node)) {
      const value = node[word];
      if (SINGLE.has(word)) enter(value);
      else if (LISTS.has(word)) list(value).forEach(enter);
      else if (MAPS.has(word)) Object.values(record(value)).forEach(enter);
    }
  };
  enter(schema);
  return found;
});

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
