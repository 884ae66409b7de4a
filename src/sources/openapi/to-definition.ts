import { isRecord } from "../../core/shape/is-record.ts";
import { type Tool, toTool } from "../../core/tool/tool.ts";
import { type Operation, READING, REPEATABLE, type RequestBody } from "./operation.ts";
import { toOutput } from "./read-answers.ts";
import { isBytes } from "./read-request-body.ts";
import type { ApiFiles } from "./references.ts";
import { writeSchemas } from "./write-schemas.ts";

/** The form in which a list of tools is stored between starts. */
export interface ApiDefinition {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: unknown;
  /** The schema of answers; null if they are only text. */
  readonly outputSchema: unknown;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
}

const LONGEST = 4_000;

/** An operation as a tool. `base` is part of it if the document chose it, so that another base makes another tool. */
export function toDefinition(operation: Operation, base: string | null, files: ApiFiles): ApiDefinition {
  const { name, method, path, summary, description, deprecated } = operation;
  const call = `${method.toUpperCase()} ${base === null ? path : `${base.replace(/\/$/, "")}${path}`}`;
  const details = description === null || description.trim() === summary?.trim() ? null : description;
  const texts = [summary, details, deprecated ? "Deprecated." : null, call].flatMap((text) => text?.trim() ?? []);
  return {
    name,
    title: summary === null ? null : summary.trim().slice(0, 200),
    description: cut(texts.slice(0, -1).join("\n\n"), LONGEST, call),
    inputSchema: toInput(operation, files),
    outputSchema: toOutput(operation.answers, files),
    readOnly: READING.has(method),
    idempotent: REPEATABLE.has(method),
  };
}

function cut(text: string, most: number, call: string): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  return shown === "" ? call : `${shown}\n\n${call}`;
}

export function toApiTool(
  definition: ApiDefinition,
  about: Pick<Tool, "server" | "group" | "defer" | "timeout">,
): Tool {
  const { name, title, description, inputSchema, outputSchema, readOnly, idempotent } = definition;
  const traits = { readOnly, idempotent, openWorld: true };
  return toTool({ source: "openapi", ...about, name, title, description, inputSchema, outputSchema, traits });
}

/** All parameters by name, with the body among them. */
function toInput({ parameters, body }: Operation, files: ApiFiles): unknown {
  const parts = [...parameters, ...(body === null ? [] : [body])];
  const roots = parts.flatMap(({ schema }) => (schema === null ? [] : [schema]));
  const { schemas, definitions } = writeSchemas(roots, files);
  let next = 0;
  const properties = parts.map((part) => {
    const written = part.schema === null ? ANY_TEXT : schemas[next++];
    const schema = part === body ? toBodySchema(body, written) : written;
    return [part.key, describe(schema, part.description)] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: parts.filter(({ required }) => required).map(({ key }) => key),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

const ANY_TEXT = { type: "string" };

function describe(schema: unknown, description: string | null): unknown {
  if (description === null) return schema;
  return { ...(isRecord(schema) ? schema : {}), description: description.trim().slice(0, LONGEST) };
}

/** JSON cannot hold bytes, so a file is its text, or its bytes in base64. */
function toBodySchema({ mediaType, files }: RequestBody, schema: unknown): unknown {
  if (files.size > 0 && isRecord(schema) && isRecord(schema.properties)) {
    const properties = Object.entries(schema.properties).map(([name, field]) => {
      const file = files.get(name);
      if (file === undefined) return [name, field];
      return [name, toFileSchema(isRecord(field) ? field.description : null, file.isList)];
    });
    return { ...schema, properties: Object.fromEntries(properties) };
  }
  const isJson = /\bjson\b/i.test(mediaType);
  return !isJson && (isBytes(schema) || !isStructured(schema, mediaType)) ? toFileSchema(null, false) : schema;
}

/** Forms consist of fields; every other body that is not JSON is one text. */
function isStructured(schema: unknown, mediaType: string): boolean {
  return /form/i.test(mediaType) || (isRecord(schema) && schema.type === "string");
}

function toFileSchema(description: unknown, isList: boolean): unknown {
  const file = {
    type: "object",
    ...(typeof description === "string" && !isList ? { description } : {}),
    properties: {
      text: { type: "string", description: "the content as text" },
      base64: { type: "string", description: "the content as bytes in base64, in place of text" },
      filename: { type: "string" },
      type: { type: "string", description: "its media type" },
    },
    additionalProperties: false,
  };
  return isList ? { type: "array", items: file, ...(typeof description === "string" ? { description } : {}) } : file;
}
