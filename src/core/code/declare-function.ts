import { isRecord } from "../shape/is-record.ts";
import type { CodeFunction } from "./functions.ts";
import { toComment, toType } from "./schema-type.ts";

const MOST_LINE = 1_200;
const MOST_SENTENCE = 240;
const MOST_DESCRIPTION = 2_000;

/** How a function is called, in one line, as search results show it. */
export function writeSignature(one: CodeFunction): string {
  const line = declare(one, false);
  return line.length <= MOST_LINE ? line : `${one.path}(args: …): see tools.describe(${JSON.stringify(one.path)})`;
}

/** The first words of its description. */
export function summarizeFunction({ placement }: CodeFunction): string {
  return toComment(placement.entry.tool.description, MOST_SENTENCE);
}

/** The full declaration, with descriptions of the function and its parameters. */
export function toDeclaration(one: CodeFunction): string {
  const { description } = one.placement.entry.tool;
  const about = description === "" ? "" : `/** ${toComment(description, MOST_DESCRIPTION)} */\n`;
  return `${about}${declare(one, true)}`;
}

function declare({ path, placement }: CodeFunction, documented: boolean): string {
  const { inputSchema, outputSchema } = placement.entry.tool;
  const takes = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const needs = isRecord(inputSchema) && Array.isArray(inputSchema.required) && inputSchema.required.length > 0;
  const args = Object.keys(takes).length === 0 ? "" : `args${needs ? "" : "?"}: ${toType(inputSchema, { documented })}`;
  // Without an output schema, a result is the text that a model would have read.
  const gives = isRecord(outputSchema) ? toType(outputSchema, { documented: false }) : "string";
  return `${path}(${args}): Promise<${gives}>`;
}
