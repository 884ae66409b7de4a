/** The type of a handler's arguments, from the type of its `parameters`. */
export type ArgumentsOf<Parameters> = Parameters extends { readonly "~standard": { readonly types?: infer Types } }
  ? OutputOf<NonNullable<Types>>
  : unknown extends FromJsonSchema<Parameters>
    ? Record<string, unknown>
    : FromJsonSchema<Parameters>;

type OutputOf<Types> = Types extends { readonly output: infer Output } ? Output : unknown;

/**
 * The values that a JSON Schema literal allows, by `type`, `properties`, `required`, `items`, `enum` and `const`;
 * `unknown` if other keywords decide.
 */
type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: readonly (infer Name)[] }
      ? FromType<Name, Schema>
      : Schema extends { readonly type: infer Name }
        ? FromType<Name, Schema>
        : unknown;

/** Distributes over a union of type names. A name that is no literal constrains nothing. */
type FromType<Name, Schema> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? FromItems<Schema>
          : Name extends "object"
            ? FromProperties<Schema>
            : unknown;

type FromItems<Schema> = Schema extends { readonly items: infer Items } ? FromJsonSchema<Items>[] : unknown[];

type FromProperties<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { -readonly [Key in keyof Properties & RequiredKey<Schema>]: FromJsonSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, RequiredKey<Schema>>]?: FromJsonSchema<Properties[Key]>;
      }
    >
  : Record<string, unknown>;

type RequiredKey<Schema> = Schema extends { readonly required: readonly (infer Key)[] }
  ? string extends Key
    ? never
    : Key
  : never;

type Flat<T> = { [Key in keyof T]: T[Key] };
