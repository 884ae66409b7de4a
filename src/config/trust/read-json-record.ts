import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";

/** The members of a JSON object; empty if it is none, which is reported when it is run. */
export function readJsonRecord(text: string | null): Readonly<Record<string, unknown>> {
  return asRecord(parseJson((text ?? "").replace(/^\uFEFF/, "")));
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? Object.fromEntries(Object.entries(value)) : {};
}
