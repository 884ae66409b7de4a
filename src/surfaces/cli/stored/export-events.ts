import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import type { StoredEvent } from "../../../core/events/envelope.ts";
import { createRedactor, secretsOf } from "../../../runtime/audit/redact-value.ts";
import { EXPORT_FORMATS, type ExportFormat, exportSession } from "../../../runtime/report/session-export.ts";
import { usage } from "../command-line/arguments.ts";

/** The form that the name of a file asks for. */
export function formatOfFile(file: string): ExportFormat {
  const found = EXPORT_FORMATS.find((format) => extname(file) === `.${format}`);
  if (found !== undefined) return found;
  const known = EXPORT_FORMATS.map((format) => `.${format}`).join(", ");
  throw usage(`a session is written to a file that ends with one of ${known}, not to ${file}`);
}

/** A session as text, without the secrets of the configuration and whatever else looks like one. */
export function formatEvents(format: ExportFormat, id: string, events: readonly StoredEvent[], config: Config): string {
  return exportSession(format, id, events, createRedactor(secretsOf(config)).value);
}

/** Writes a session to a file that is not there yet, for its owner alone; returns where that is. */
export async function exportEvents(
  id: string,
  events: readonly StoredEvent[],
  file: string,
  cwd: string,
  config: Config,
): Promise<string> {
  const path = resolve(cwd, file);
  const text = formatEvents(formatOfFile(file), id, events, config);
  await writeFile(path, text, { flag: "wx", mode: 0o600 }).catch((error: Error) => {
    const isThere = "code" in error && error.code === "EEXIST";
    throw usage(isThere ? `${path} exists; name a new file` : `${path} cannot be written: ${error.message}`);
  });
  return path;
}
