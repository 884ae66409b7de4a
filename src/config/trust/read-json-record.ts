import { isRecord } from "../../core/shape/is-record.ts";

/** The members of a JSON object; none where it is none, which whoever runs it reports. */
export function readJsonRecord(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return toRecord(JSON.parse((text ?? "").replace(/^\uFEFF/, "")));
  } catch {
    return {};
  }
}

export function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? Object.fromEntries(Object.entries(value)) : {};
}
