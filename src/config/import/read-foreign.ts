import type { Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, toNode } from "../../core/shape/node.ts";
import { blankExtras } from "../layers/blank-extras.ts";
import { checkJson, parseDocument } from "../layers/parse-document.ts";

/** A larger file is somebody's whole history; it is read without line numbers, which is a hundred times quicker. */
const MAX_WITH_LINES = 256 * 1024;

/** YAML, TOML, or JSON with comments and trailing commas as editors allow. Throws `config.syntax` with file and line. */
export async function readForeign(text: string, file: string): Promise<ConfigNode | null> {
  const clean = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (/\.ya?ml$/.test(file)) return parseDocument(clean, file);
  if (file.endsWith(".toml")) return (await import("./read-toml.ts")).readToml(clean, file);
  const json = blankExtras(clean);
  if (json.length <= MAX_WITH_LINES) return parseDocument(json, file);
  const origin: Origin = { kind: "file", file, line: null };
  try {
    return toNode(JSON.parse(json), origin);
  } catch (error) {
    if (!(error instanceof RangeError)) checkJson(json, file);
    throw new ToolcribError("config.syntax", `${file}: nested too deeply`, { origin });
  }
}
