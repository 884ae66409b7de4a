/** JSON that has been written already, as a value of what is yet to be written. */
export interface WrittenJson {
  readonly [WRITTEN]: string;
}

const WRITTEN = Symbol("written JSON");

export function writtenJson(text: string): WrittenJson {
  return { [WRITTEN]: text };
}

/** A list, of texts that are JSON each. */
export function writtenList(items: readonly string[]): WrittenJson {
  return writtenJson(`[${items.join(",")}]`);
}

/** What `JSON.stringify` makes of an object, of which some members have been written already. */
export function toJsonText(object: Readonly<Record<string, unknown>>): string {
  const members: string[] = [];
  for (const key of Object.keys(object)) {
    const text = textOf(object[key]);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

/** Undefined for what JSON leaves out. */
function textOf(value: unknown): string | undefined {
  return isWritten(value) ? value[WRITTEN] : JSON.stringify(value);
}

function isWritten(value: unknown): value is WrittenJson {
  return typeof value === "object" && value !== null && WRITTEN in value;
}
