/** One argument of a tool as a field of a form. */
export interface FormField {
  readonly name: string;
  readonly kind: "text" | "number" | "flag" | "choice" | "json";
  readonly isRequired: boolean;
  readonly about: string;
  /** Of a choice, as JSON, so that numbers and null stay what they are. */
  readonly options: readonly string[];
  /** The initial value of the field. */
  readonly initial: string;
}

export type Filled = { readonly args: Readonly<Record<string, unknown>> } | { readonly problem: string };

type Schema = Readonly<Record<string, unknown>>;

/** The fields of a schema's properties. Whatever a plain field cannot hold is written as JSON. */
export function toFormFields(schema: unknown): readonly FormField[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    toField(name, isRecord(property) ? property : {}, required.has(name)),
  );
  return [...fields].sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** The arguments that the fields hold; an empty field that is not required is left out. */
export function toArguments(fields: readonly FormField[], values: ReadonlyMap<string, string>): Filled {
  const entries: [string, unknown][] = [];
  for (const field of fields) {
    const text = values.get(field.name) ?? field.initial;
    if (text === "" && !(field.isRequired && field.kind === "text")) {
      if (field.isRequired) return { problem: `${field.name} is required` };
      continue;
    }
    const value = toValue(field, text);
    if (value === undefined) return { problem: `${field.name} is not ${EXPECTED[field.kind]}` };
    entries.push([field.name, value]);
  }
  return { args: Object.fromEntries(entries) };
}

/** Arguments that were written as JSON by hand. */
export function readFormArguments(text: string): Filled {
  const value = text.trim() === "" ? {} : parse(text);
  return isRecord(value) ? { args: value } : { problem: "that is not a JSON object" };
}

const EXPECTED = { text: "a text", number: "a number", flag: "true or false", choice: "a choice", json: "valid JSON" };

function toField(name: string, property: Schema, isRequired: boolean): FormField {
  const options = Array.isArray(property.enum) ? property.enum.map((value) => JSON.stringify(value)) : [];
  const kind = options.length > 0 ? "choice" : (KINDS.get(property.type) ?? "json");
  const given = property.default;
  const initial = given === undefined ? "" : kind === "text" ? String(given) : JSON.stringify(given);
  const about = typeof property.description === "string" ? property.description : "";
  return { name, kind, isRequired, about, options, initial };
}

const KINDS = new Map<unknown, FormField["kind"]>([
  ["string", "text"],
  ["number", "number"],
  ["integer", "number"],
  ["boolean", "flag"],
]);

function toValue({ kind }: FormField, text: string): unknown {
  if (kind === "text") return text;
  const value = parse(text);
  const isFit = kind === "number" ? typeof value === "number" : kind === "flag" ? typeof value === "boolean" : true;
  return isFit ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
