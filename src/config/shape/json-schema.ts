import { isContainer, type RecordShape, type Shape } from "../../core/shape/shape.ts";
import { fileShape } from "./file-shape.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** The published JSON Schema of a configuration file, from the table that files are checked against. */
export function toFileSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "toolcrib.yaml",
    description: "Configuration of Toolcrib. `policy` is for the managed policy file only.",
    ...toSchema({ ...fileShape, nullable: true }),
  };
}

function toSchema(shape: Shape, isEmptyAllowed = shape.nullable === true || isContainer(shape)): JsonObject {
  const about = shape.about === undefined ? {} : { description: shape.about };
  const body = toBody(shape);
  return { ...about, ...(isEmptyAllowed ? orNull(body) : body) };
}

function toBody(shape: Shape): JsonObject {
  switch (shape.kind) {
    case "text":
      if (shape.blank === true) return { type: "string" };
      return { type: "string", pattern: shape.pattern ?? "\\S" };
    case "number":
      return {
        type: shape.fraction === true ? "number" : "integer",
        ...(shape.least === Number.NEGATIVE_INFINITY ? {} : { minimum: shape.least }),
        ...(shape.most === undefined ? {} : { maximum: shape.most }),
      };
    case "flag":
      return { type: "boolean" };
    case "choice":
      return { enum: shape.values };
    case "list":
      // A key without a value counts as absent; an empty item is a mistake.
      return { type: "array", items: toSchema(shape.of, shape.of.nullable === true) };
    case "map":
      return { type: "object", additionalProperties: toSchema(shape.of) };
    case "record":
      return {
        type: "object",
        properties: Object.fromEntries(Object.entries(shape.fields).map(([key, field]) => [key, toSchema(field)])),
        additionalProperties: false,
        ...requiredOf(shape),
        ...(shape.oneOf === undefined ? {} : { oneOf: shape.oneOf.map((key) => ({ required: [key] })) }),
      };
    case "any":
      return {};
    case "either":
      return { anyOf: shape.options.map((option) => toSchema(option)) };
  }
}

function requiredOf({ fields }: RecordShape): JsonObject {
  const required = Object.keys(fields).filter((key) => fields[key]?.required === true);
  return required.length === 0 ? {} : { required };
}

function orNull(body: JsonObject): JsonObject {
  if (typeof body.type === "string") return { ...body, type: [body.type, "null"] };
  if (Array.isArray(body.anyOf)) return { ...body, anyOf: [...body.anyOf, { type: "null" }] };
  return { anyOf: [body, { type: "null" }] };
}
