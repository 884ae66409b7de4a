import { mayHold } from "./schema-hazards.ts";

/** What a scan looks at: a definition as its source gave it, with what it claims of itself. */
export interface Definition {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly claims: Claims;
}

/** True where the definition says so; what it does not say is no claim. */
interface Claims {
  readonly readOnly: boolean;
  readonly harmless: boolean;
  readonly closedWorld: boolean;
}

/** One text of a definition. Everything in a schema counts, because a model reads all of it. */
export interface TextPiece {
  readonly where: string;
  readonly kind: "title" | "description" | "parameter" | "switch" | "schema" | "key";
  /** The parameter it is about, for texts of a schema. */
  readonly parameter: string | null;
  readonly raw: string;
  /** Stands where JSON Schema has no text at all, as the value of a number. */
  readonly misplaced: boolean;
}

/** More than honest definitions have; what is larger is refused for its size anyway. */
const MAX_NODES = 20_000;
const MAX_CHARACTERS = 400_000;

interface Frame {
  readonly value: unknown;
  readonly where: string;
  readonly parameter: string | null;
  /** The keys of this object are names of parameters, not of JSON Schema. */
  readonly named: boolean;
  readonly key: string;
  /** What holds this says that it is a number or a yes or no, so nothing can be written into it. */
  readonly holds: "text" | "nothing";
}

/** Every text of a definition, each once. Never recursive, so that no depth of a schema matters. */
export function toTexts({ title, description, inputSchema, outputSchema }: Definition): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let left = MAX_CHARACTERS;
  const add = (
    kind: TextPiece["kind"],
    where: string,
    parameter: string | null,
    raw: string,
    misplaced = false,
  ): void => {
    if (raw === "" || left <= 0) return;
    const text = raw.slice(0, left);
    left -= text.length;
    pieces.push({ where, kind, parameter, raw: text, misplaced });
  };
  if (title !== null) add("title", "title", null, title);
  add("description", "description", null, description);
  const seen = new Set<object>();
  const frames: Frame[] = [
    { value: outputSchema, where: "outputSchema", parameter: null, named: false, key: "", holds: "text" },
    { value: inputSchema, where: "inputSchema", parameter: null, named: false, key: "", holds: "text" },
  ];
  for (let nodes = 0; nodes < MAX_NODES; nodes++) {
    const frame = frames.pop();
    if (frame === undefined) break;
    const { value, where, parameter, key } = frame;
    if (typeof value === "string") {
      const written = key === "required" || isChain(value) ? toWords(value) : value;
      const kind = key === "required" ? "key" : key !== "description" ? "schema" : null;
      // One word is no sentence, wherever it stands.
      const misplaced = written.includes(" ") && (key === "format" || (frame.holds === "nothing" && !TELLS.test(key)));
      add(kind ?? (frame.holds === "text" ? "parameter" : "switch"), where, parameter, written, misplaced);
    }
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    const members: readonly (readonly [string, unknown])[] = Array.isArray(value)
      ? value.map((member, at) => [String(at), member] as const)
      : Object.keys(value).map((name) => [name, Reflect.get(value, name)] as const); // Own keys only.
    const type: unknown = Object.hasOwn(value, "type") ? Reflect.get(value, "type") : null;
    const isNumber = type === "boolean" || type === "integer" || type === "number";
    const holds = Array.isArray(value) ? frame.holds : isNumber ? "nothing" : "text";
    for (let at = members.length - 1; at >= 0; at--) {
      const [name, member] = members[at] ?? ["", null];
      const isName = frame.named && !Array.isArray(value);
      const place = Array.isArray(value) ? `${where}[${name}]` : `${where}.${name.slice(0, 80)}`;
      if (mayHold(member))
        frames.push({
          value: member,
          where: place.length > 300 ? `…${place.slice(-200)}` : place,
          parameter: isName ? name : parameter,
          named: !frame.named && NAMING.has(name),
          key: Array.isArray(value) ? key : isName ? "" : name,
          holds,
        });
      // Names of parameters say something; so does any key that JSON Schema does not have.
      if (!Array.isArray(value) && (isName || name.length > 24))
        add("key", place, isName ? name : parameter, toWords(name));
    }
  }
  return pieces;
}

/** Keywords that are there to tell people something, in JSON Schema or beyond it. */
const TELLS = /descri|message|comment|title|help|hint|label|summary|note|text|doc|error/i;

/** `ignore-previous-instructions`: a sentence in the dress of a name. */
function isChain(text: string): boolean {
  return text.length < 200 && /^[a-z]+(?:[_-][a-z]+){2,}$/i.test(text);
}

const NAMING: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** `contentOf_ssh-key` as `content of ssh key`. */
export function toWords(name: string): string {
  return name
    .slice(0, 2_000)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_\-./:\s]+/g, " ")
    .trim();
}
