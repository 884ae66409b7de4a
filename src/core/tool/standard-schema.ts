/** The part of the Standard Schema interface (https://standardschema.dev) that Toolcrib needs; Zod 4 has it. */
export interface StandardSchema {
  readonly "~standard": {
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => unknown };
  };
  /** Zod's own converter, if the standard one is missing. */
  readonly toJSONSchema?: (options: { readonly io: "input" }) => unknown;
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The result of validating arguments against a schema. */
export type Parsed =
  | { readonly ok: true; readonly args: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

export function isStandardSchema(value: object): value is StandardSchema {
  const standard: unknown = Reflect.get(value, "~standard");
  return typeof standard === "object" && standard !== null && typeof Reflect.get(standard, "validate") === "function";
}

/** The JSON Schema of what a caller may send; undefined if the schema has none. Throws what the schema throws. */
export function toJsonSchema(schema: StandardSchema): unknown {
  const converter = schema["~standard"].jsonSchema;
  if (converter !== undefined) return converter.input({ target: "draft-2020-12" });
  return schema.toJSONSchema?.({ io: "input" });
}

export async function parseWith(schema: StandardSchema, value: unknown): Promise<Parsed> {
  const result = await schema["~standard"].validate(value);
  if (result.issues !== undefined) return { ok: false, problems: result.issues.map(describeIssue) };
  return { ok: true, args: result.value };
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}
