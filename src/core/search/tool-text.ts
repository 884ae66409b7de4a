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
  readSchema(tool.inputSchema, names, details, 0);
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

function readSchema(schema: unknown, names: string[], details: string[], depth: number): void {
  if (typeof schema !== "object" || schema === null || depth > MAX_DEPTH) return;
  if (depth > 0) readWords(schema, details);
  const properties: unknown = Reflect.get(schema, "properties");
  if (typeof properties === "object" && properties !== null) {
    for (const [name, part] of Object.entries(properties).slice(0, MAX_PARAMETERS)) {
      if (names.length >= MAX_PARAMETERS) return;
      names.push(name.slice(0, 128));
      readSchema(part, names, details, depth + 1);
    }
  }
  const items: unknown = Reflect.get(schema, "items");
  if (items !== undefined) readSchema(items, names, details, depth + 1);
}

function readWords(schema: object, details: string[]): void {
  const description: unknown = Reflect.get(schema, "description");
  if (typeof description === "string") details.push(description.slice(0, 1_000));
  const choices: unknown = Reflect.get(schema, "enum");
  if (!Array.isArray(choices)) return;
  for (const choice of choices.slice(0, 32)) if (typeof choice === "string") details.push(choice.slice(0, 64));
}
