import { hash } from "node:crypto";
import type { ReasonCode } from "../codes/codes.ts";
import { MAX_SCHEMA_WEIGHT, mayBeHeavy, schemaWeight } from "../schema/schema-weight.ts";
import { remember } from "../shape/remember.ts";
import { toCanonicalJson } from "./canonical-json.ts";
import { findHiddenText } from "./hidden-text.ts";
import { isSoundDefinition } from "./sound-definition.ts";
import { isBuiltin, isScanned, isUntrusted, serverOf, type Tool } from "./tool.ts";

/** A flaw in the definition itself that hides the tool. */
interface Flaw {
  readonly code: ReasonCode;
  readonly text: string;
}

/** What inspecting one definition, without its neighbours, finds. */
export interface Inspection {
  /** SHA-256 over everything a model or a permission could depend on. */
  readonly signature: string;
  /** Estimated cost of sending the definition. */
  readonly tokens: number;
  readonly flaws: readonly Flaw[];
  /** Third-party and not refused for its size: must be scanned before a model sees it. */
  readonly scanned: boolean;
}

/** An inspection, and with it what the scanner found, so that catalogs of many tools look up only one thing of each. */
export interface KeptInspection extends Inspection {
  /** Null until somebody has scanned the definition. */
  signals: readonly unknown[] | null;
  /** Says that all its texts and schemas were read and are sound, so that nobody has to look at them again. */
  vouch(): void;
}

/** Real servers stay far below: 44 KB and 23 levels are the most seen in 3,065 tools. */
const MAX_SCHEMA_DEPTH = 64;
const MAX_SCHEMA_CHARACTERS = 256 * 1024;
const MAX_DESCRIPTION_CHARACTERS = 64 * 1024;
/** Anything larger is refused for its size. */
const MAX_SCANNED = MAX_SCHEMA_CHARACTERS + MAX_DESCRIPTION_CHARACTERS + 64 * 1024;
/** Names of any script, each letter with at most two marks (N11). */
const HONEST_NAME = /^(?:\p{L}\p{M}{0,2}|\p{Nd}|[_.-])+$/u;
/** Most honest names. */
const PLAIN_NAME = /^[A-Za-z0-9_.-]+$/;
const RESERVED_NAMES: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
/** English definitions in JSON have about four characters per token with today's tokenizers. */
const CHARACTERS_PER_TOKEN = 4;

/** The complete signature of one tool, for pins and comparisons outside a catalog. */
export function toSignature(tool: Tool): string {
  return inspectTool(tool).signature;
}

/** Cached: tools are immutable, and several sessions inspect the same ones. */
export const inspectTool = remember((shown: Tool): KeptInspection => new Inspected(shown));

/**
 * Looks at a definition when somebody asks: most are seen to be sound at a glance, or by the scanner that reads them
 * anyway, and are read closely only to be signed.
 */
class Inspected implements KeptInspection {
  signals: readonly unknown[] | null = null;
  readonly #shown: Tool;
  #findings: Findings | null = null;
  #signature: string | null = null;
  #tokens = 0;

  constructor(shown: Tool) {
    this.#shown = shown;
  }

  get flaws(): readonly Flaw[] {
    return this.look().flaws;
  }

  get scanned(): boolean {
    return isScanned(this.#shown) && this.look().isReadable;
  }

  get signature(): string {
    return this.#signature ?? this.measure(readDefinition(this.#shown));
  }

  get tokens(): number {
    if (this.#signature === null) this.measure(readDefinition(this.#shown));
    return this.#tokens;
  }

  vouch(): void {
    if (isFit(this.#shown.original ?? this.#shown)) this.#findings ??= SOUND;
  }

  look(): Findings {
    if (this.#findings !== null) return this.#findings;
    const tool = this.#shown.original ?? this.#shown;
    if (isFit(tool) && isSoundDefinition(tool)) this.#findings = SOUND;
    else {
      // The signature follows from the same text.
      const reading = readDefinition(this.#shown);
      this.#findings = readClosely(reading);
      if (this.#signature === null) this.measure(reading);
    }
    return this.#findings;
  }

  measure({ schema, text }: Reading): string {
    const { name, description } = this.#shown;
    this.#tokens = Math.ceil((name.length + description.length + schema.text.length) / CHARACTERS_PER_TOKEN) + 8;
    this.#signature = hash("sha256", text);
    return this.#signature;
  }
}

interface Findings {
  readonly flaws: readonly Flaw[];
  /** Not too large for the scanner. */
  readonly isReadable: boolean;
}

const SOUND: Findings = { flaws: [], isReadable: true };

function readClosely({ tool, schema, output, text }: Reading): Findings {
  const flaws = findFlaws(tool, output === null ? schema : joinReadings(schema, output), text);
  return { flaws, isReadable: text.length <= MAX_SCANNED };
}

interface Reading {
  /** The definition as its source gave it. */
  readonly tool: Tool;
  readonly schema: SchemaReading;
  readonly output: SchemaReading | null;
  /** All of it that a model or a permission could depend on. */
  readonly text: string;
}

function readDefinition(shown: Tool): Reading {
  const tool = shown.original ?? shown;
  const schema = readSchema(tool.inputSchema);
  const output = tool.outputSchema === null ? null : readSchema(tool.outputSchema);
  const text = `{"description":${JSON.stringify(tool.description)},"inputSchema":${schema.text},"name":${JSON.stringify(tool.name)},"overridesBuiltInTool":${tool.overridesBuiltInTool},"server":${JSON.stringify(serverOf(tool))},"skipPermission":${tool.skipPermission},"title":${tool.title === null ? "null" : JSON.stringify(tool.title)},"traits":${traitsText(tool)}${moreText(tool, output)}}`;
  return { tool, schema, output, text };
}

/** Only if stated, so that all other signatures stay unchanged (N10). */
function moreText({ harmless }: Tool, output: SchemaReading | null): string {
  return `${output === null ? "" : `,"outputSchema":${output.text}`}${harmless ? ',"harmless":true' : ""}`;
}

/** Both schemas of a tool together must meet the limits of one. */
function joinReadings(one: SchemaReading, other: SchemaReading): SchemaReading {
  return {
    text: `${one.text}${other.text}`,
    depth: Math.max(one.depth, other.depth),
    circular: one.circular || other.circular,
  };
}

interface SchemaReading {
  readonly text: string;
  readonly depth: number;
  readonly circular: boolean;
}

function readSchema(schema: unknown): SchemaReading {
  try {
    const { text, depth } = toCanonicalJson(schema ?? null);
    return { text, depth, circular: false };
  } catch {
    return { text: '"circular"', depth: 0, circular: true };
  }
}

function traitsText({ traits }: Tool): string {
  return `{"abortSiblings":${traits.abortSiblings},"concurrencySafe":${traits.concurrencySafe},"hostShell":${traits.hostShell},"idempotent":${traits.idempotent},"interrupt":"${traits.interrupt}","openWorld":${traits.openWorld},"readOnly":${traits.readOnly}}`;
}

/** Whether a tool of sound texts and schemas has no flaw: `findFlaws` would find nothing. */
function isFit(tool: Tool): boolean {
  return PLAIN_NAME.test(tool.name) && !RESERVED_NAMES.has(tool.name) && schemaProblem(tool) === null;
}

/** `whole` is the text of the whole definition, so that one look at it can rule out several flaws. */
function findFlaws(tool: Tool, schema: SchemaReading, whole: string): readonly Flaw[] {
  const flaws: Flaw[] = [];
  const untrusted = isUntrusted(tool);
  if (tool.name === "") flaws.push({ code: "trust.invalid-name", text: "its name is empty" });
  else if (untrusted && RESERVED_NAMES.has(tool.name)) {
    flaws.push({
      code: "trust.reserved-name",
      text: `the name ${JSON.stringify(tool.name)} is a member of every JavaScript object`,
    });
  } else if (untrusted && !HONEST_NAME.test(tool.name)) {
    flaws.push({
      code: "trust.invalid-name",
      text: "its name has characters other than letters, digits, `_`, `-` and `.`",
    });
  }
  const problem = schema.circular ? "its input schema contains itself" : schemaProblem(tool);
  if (problem !== null) flaws.push({ code: "tool.invalid-schema", text: problem });
  if (schema.depth > MAX_SCHEMA_DEPTH) {
    flaws.push({
      code: "trust.schema-too-deep",
      text: `its input schema is ${schema.depth} levels deep; ${MAX_SCHEMA_DEPTH} is the limit`,
    });
  }
  if (schema.text.length > MAX_SCHEMA_CHARACTERS || tool.description.length > MAX_DESCRIPTION_CHARACTERS) {
    const size = Math.ceil((schema.text.length + tool.description.length) / 1024);
    flaws.push({
      code: "trust.schema-too-large",
      text: `its definition takes ${size} KB; ${MAX_SCHEMA_CHARACTERS / 1024} KB of schema and ${MAX_DESCRIPTION_CHARACTERS / 1024} KB of description are the limits`,
    });
  } else if (!schema.circular && schema.depth <= MAX_SCHEMA_DEPTH && mayBeHeavy(schema.text.length, whole)) {
    const weight = Math.ceil(schemaWeight(tool.inputSchema, schema.text));
    if (weight > MAX_SCHEMA_WEIGHT)
      flaws.push({
        code: "trust.schema-too-large",
        text: `its input schema has as much to check as ${weight} properties; ${MAX_SCHEMA_WEIGHT} is the limit`,
      });
  }
  if (untrusted && whole.includes("$") && hasRemoteReference(schema.text)) {
    flaws.push({ code: "trust.remote-ref", text: "its input schema points at another document by `$ref`" });
  }
  const hidden = isBuiltin(tool) || isPrintable(whole) ? null : findHiddenInDefinition(tool, schema.text);
  if (hidden !== null)
    flaws.push({
      code: "trust.hidden-text",
      text: `its ${hidden.where} holds the hidden character ${hidden.character}`,
    });
  return flaws;
}

/** N8: absent, null, or JSON Schema of type object; only external tools must state it. */
function schemaProblem({ inputSchema, source }: Tool): string | null {
  if (inputSchema === null || inputSchema === undefined) return null;
  if (typeof inputSchema !== "object" || Array.isArray(inputSchema)) return "its input schema is not an object";
  const type: unknown = Object.hasOwn(inputSchema, "type") ? Reflect.get(inputSchema, "type") : undefined;
  if (type === "object") return null;
  if (type === undefined) return source === "external" ? 'its input schema does not say `"type": "object"`' : null;
  return `its input schema is of type ${JSON.stringify(type)?.slice(0, 60)}, not "object"`;
}

function hasRemoteReference(schemaText: string): boolean {
  return /"\$(?:ref|dynamicRef|recursiveRef)":"[^#"]/.test(schemaText);
}

/** JSON of printable ASCII without an escape hides nothing. */
function isPrintable(json: string): boolean {
  return Buffer.byteLength(json) === json.length && !json.includes("\\") && !json.includes("\u007f");
}

function findHiddenInDefinition(tool: Tool, schemaText: string): { where: string; character: string } | null {
  const places: readonly (readonly [string, string | null])[] = [
    ["name", isUntrusted(tool) ? tool.name : null],
    ["title", tool.title],
    ["description", tool.description],
  ];
  for (const [where, text] of places) {
    const character = text === null ? null : findHiddenText(text);
    if (character !== null) return { where, character };
  }
  const character = findHiddenText(unescapeControls(schemaText));
  return character === null ? null : { where: "input schema", character };
}

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["r", "\r"],
  ["n", "\n"],
]);

/** Canonical JSON spells control characters as `\u001b`; `\\u001b` is the text of a pattern and stays. */
function unescapeControls(json: string): string {
  if (!/\\[bfru]/.test(json)) return json;
  return json.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_whole, hex: string | undefined, letter: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return (letter === undefined ? undefined : CONTROLS.get(letter)) ?? " ";
  });
}
