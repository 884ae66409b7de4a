import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { type DefinedTool, defineTool } from "../../core/tool/define-tool.ts";
import { isDefined } from "../parts/read-definition.ts";

export type ExportReading =
  | { readonly ok: true; readonly defined: DefinedTool; readonly tookOptions: boolean }
  /** Continues "the export …". */
  | { readonly ok: false; readonly text: string };

/**
 * Turns an export into a tool: made by `defineTool`, an object with `name`, `description`, `parameters` and `handler`,
 * or a function that makes one of these from the entry's options. Rejects with what such a function throws.
 */
export async function readExport(
  exported: unknown,
  options: Readonly<Record<string, unknown>>,
): Promise<ExportReading> {
  if (typeof exported !== "function") return readTool(exported, "is", false);
  // Any function is treated as a factory; what it returns decides.
  const made: unknown = await exported(options);
  return readTool(made, "is a function that returned", true);
}

function readTool(value: unknown, verb: string, tookOptions: boolean): ExportReading {
  if (isDefined(value)) return { ok: true, defined: value, tookOptions };
  if (!isRecord(value) || typeof value.handler !== "function" || typeof value.name !== "string") {
    return { ok: false, text: `${verb} ${describe(value)}` };
  }
  const { name, ...fields } = value;
  try {
    // `defineTool` checks each field and says which one is wrong.
    const defined = defineTool(String(name), fields as unknown as Parameters<typeof defineTool>[1]);
    return { ok: true, defined, tookOptions };
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    return { ok: false, text: `${verb} an object with a flaw: ${error.message}` };
  }
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object") return `a ${typeof value}`;
  const keys = Object.keys(value).slice(0, 5);
  return keys.length === 0 ? "an empty object" : `an object with ${keys.join(", ")}`;
}
