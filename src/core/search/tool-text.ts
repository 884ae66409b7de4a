import { foldSchema } from "../schema/fold-schema.ts";
import { type JsonObject, listOf, objectOf } from "../shape/json-value.ts";

/** The searchable text of one tool. All of it is untrusted, so every part is read up to a cap. */
export interface ToolText {
  readonly name: string;
  readonly description: string;
  readonly server: string | null;
  readonly inputSchema: unknown;
  /** Its aliases. */
  readonly aliases?: readonly string[];
  readonly title?: string | null;
  /** Requests that the tool answers, from its author. */
  readonly examples?: readonly string[];
}

/** The fields of the index, in the order of their columns. */
export const FIELDS = ["name", "description", "server", "parameters", "details", "examples"] as const;
export type Field = (typeof FIELDS)[number];

export interface FieldText {
  readonly text: string;
  /** Words beyond this are not read. */
  readonly limit: number;
}

const MAX_CHARACTERS = 4_000;
const LIMITS = { name: 32, description: 160, server: 16, parameters: 64, details: 160, examples: 160 } as const;
export const MAX_EXAMPLES = 32;
/** Real schemas stay below; deeper or wider ones are read up to here. */
const MAX_DEPTH = 6;
const MAX_PARAMETERS = 64;

export function toFields(tool: ToolText): Readonly<Record<Field, FieldText>> {
  const names: string[] = [];
  const details: string[] = [];
  readSchema(tool.inputSchema, names, details);
  const titles = [tool.name, ...(tool.aliases ?? []), ...(tool.title ? [tool.title] : [])];
  const field = (name: Field, parts: readonly string[]): FieldText => ({
    text: parts.join("\n").slice(0, MAX_CHARACTERS),
    limit: LIMITS[name],
  });
  return {
    name: field("name", titles.slice(0, 8)),
    description: field("description", [tool.description]),
    server: field("server", [tool.server ?? ""]),
    parameters: field("parameters", names),
    details: field("details", details),
    examples: field("examples", tool.examples?.slice(0, MAX_EXAMPLES) ?? []),
  };
}

function readSchema(root: unknown, names: string[], details: string[]): void {
  foldSchema<void>(root, undefined, {
    levels: MAX_DEPTH,
    visit(schema, { level, inner }) {
      if (level > 0) readWords(schema, details);
      for (const [name, part] of Object.entries(objectOf(schema.properties)).slice(0, MAX_PARAMETERS)) {
        if (names.length >= MAX_PARAMETERS) return;
        names.push(name.slice(0, 128));
        inner(part);
      }
      inner(schema.items);
    },
    beyond: () => {},
  });
}

function readWords({ description, enum: choices }: JsonObject, details: string[]): void {
  if (typeof description === "string") details.push(description.slice(0, 1_000));
  for (const choice of listOf(choices).slice(0, 32)) if (typeof choice === "string") details.push(choice.slice(0, 64));
}
