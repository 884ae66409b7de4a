/** What came over the wire; nothing about it is known. */
export type Json = Readonly<Record<string, unknown>>;

export function recordOf(value: unknown): Json {
  return isJson(value) ? value : {};
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordsOf(value: unknown): readonly Json[] {
  return listOf(value).filter(isJson);
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** JSON drops what is undefined, and types want it absent. */
export function dropUndefined<Value extends object>(value: Value) {
  type Defined = { [Key in keyof Value]: Exclude<Value[Key], undefined> };
  // Most have nothing to leave out, and there is one for every event.
  if (!Object.values(value).includes(undefined)) return value as Defined;
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined;
}

/** What an app left out, Go writes as null. */
export function dropNull(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}
