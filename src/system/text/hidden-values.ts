/** Values that must not be shown, and data without them. They are held in memory only. */
export interface HiddenValues {
  readonly isEmpty: boolean;
  /** Returns how many are too short to distinguish from ordinary text: those stay visible. */
  add(values: Iterable<string>): number;
  text(text: string): string;
  /** The same data without them; the identical object if there are none. */
  data<T>(data: T): T;
  /** For the pieces of one text: a possible beginning of a value waits for the next piece. */
  pieces(): HiddenPieces;
}

export interface HiddenPieces {
  push(piece: string): string;
  /** The rest that was waiting. */
  end(): string;
}

/** The replacement of a value. */
export const HIDDEN = "[hidden]";

/** Shorter values are words like `on` or `443`: hiding them would garble the text. */
const SHORTEST = 4;
/** Shorter values are hidden only as separate words. */
const ANYWHERE = 8;
const MOST_CHARACTERS = 1024 * 1024;

export function createHiddenValues(): HiddenValues {
  /** Longest first, so that a value which contains another is hidden whole. */
  let forms: readonly string[] = [];
  let pattern: RegExp | null = null;
  const text = (given: string): string => (pattern === null ? given : given.replace(pattern, HIDDEN));
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return forms.includes(String(value)) ? HIDDEN : value;
    if (Array.isArray(value)) return value.map(hide);
    if (!isPlain(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), hide(member)]));
  };
  return {
    get isEmpty() {
      return pattern === null;
    },
    add(values) {
      const given = [...values].filter((value) => value !== "");
      const long = given.flatMap(partsOf).filter((value) => value.length >= SHORTEST);
      const all = new Set([...forms, ...long.flatMap(formsOf)]);
      if ([...all].reduce((sum, form) => sum + form.length, 0) > MOST_CHARACTERS)
        throw new Error(`values to hide may have ${MOST_CHARACTERS} characters together; these were not added`);
      forms = [...all].sort((one, other) => other.length - one.length);
      pattern = forms.length === 0 ? null : new RegExp(forms.map(toPattern).join("|"), "gu");
      return given.filter((value) => value.length < SHORTEST).length;
    },
    text,
    data: <T>(data: T): T => (pattern === null ? data : (hide(data) as T)), // Same shape, other texts.
    pieces: () => createPieces(text, () => [forms, pattern]),
  };
}

function createPieces(
  text: (text: string) => string,
  known: () => [forms: readonly string[], pattern: RegExp | null],
): HiddenPieces {
  let rest = "";
  return {
    push(piece) {
      const all = rest + piece;
      const at = beginningIn(all, ...known());
      rest = all.slice(at);
      return text(all.slice(0, at));
    },
    end() {
      const last = text(rest);
      rest = "";
      return last;
    },
  };
}

/** The start of a possible beginning of a value, unless an earlier value reaches into it. */
function beginningIn(text: string, forms: readonly string[], pattern: RegExp | null): number {
  const longest = forms[0]?.length ?? 0;
  const beginsAt = (from: number): number => {
    let at = Math.max(from, text.length - longest);
    while (at < text.length && !forms.some((form) => form.startsWith(text.slice(at)))) at += 1;
    return at;
  };
  let at = beginsAt(0);
  for (const found of pattern === null ? [] : text.matchAll(pattern)) {
    const end = found.index + found[0].length;
    if (found.index < at && end > at) at = beginsAt(end);
  }
  return at;
}

/** A value of several lines may be shown line by line. */
function partsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.trim().length >= ANYWHERE);
  return lines.length > 1 ? [value, ...lines] : [value];
}

/** How a value is written as part of something else: in JSON, also twice, in an address, in base64. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const inJson = JSON.stringify(value).slice(1, -1);
  const written = [
    ...[inJson, JSON.stringify(inJson).slice(1, -1)],
    ...[encodeURIComponent(bytes.toString()), bytes.toString("base64").replace(/=+$/, "")],
  ];
  return [value, ...written.filter((form) => form.length >= ANYWHERE)];
}

function toPattern(form: string): string {
  const literal = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return form.length >= ANYWHERE ? literal : `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
