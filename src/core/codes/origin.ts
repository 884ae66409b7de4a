/** Where a value came from: the place a person would go to change it. */
export type Origin =
  | {
      readonly kind: "file";
      readonly file: string;
      readonly line: number | null;
      /** The plugin that the file belongs to, with its version if known. */
      readonly plugin?: string;
    }
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "variable"; readonly variable: string }
  | { readonly kind: "world"; readonly file: string; readonly path: string }
  | { readonly kind: "call"; readonly call: string }
  | { readonly kind: "definition"; readonly of: string }
  /** A stored approval. */
  | { readonly kind: "grant"; readonly id: string }
  /** Something that was trusted and has changed or gone, and still applies. */
  | { readonly kind: "trust" }
  | { readonly kind: "default" };

/** A value together with where it came from. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: Origin;
  /** Other places with the same value: a list merged from several layers holds each value once. */
  readonly also?: readonly Origin[];
}

/** A list of names: each entry has its own line, and the list the line of its key. */
export interface NameList extends Sourced<readonly Sourced<string>[]> {
  /** The name its author used, if that is another name for the same list. */
  readonly called?: string;
}

export const defaultOrigin: Origin = { kind: "default" };

/** Appends the place in brackets, unless the text names it already or there is none. */
export function placeBehind(text: string, origin: Origin): string {
  const place = formatOrigin(origin);
  return origin.kind === "default" || text.includes(place) ? "" : ` (${place})`;
}

/** The short form people read: `toolcrib.yaml:14`, `--exclude`, `default`. */
export function formatOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "file": {
      const place = origin.line === null ? origin.file : `${origin.file}:${origin.line}`;
      return origin.plugin === undefined ? place : `${place}, plugin ${origin.plugin}`;
    }
    case "flag":
      return origin.flag;
    case "variable":
      return `$${origin.variable}`;
    case "world":
      return `${origin.file} ${origin.path}`;
    case "call":
      return origin.call;
    case "definition":
      return `definition of ${origin.of}`;
    case "grant":
      return `grant ${origin.id}`;
    case "trust":
      return 'was trusted, and is changed or gone; decide with "toolcrib trust"';
    case "default":
      return "default";
  }
}

/** The file of an origin as a path, with `~` expanded to the home folder. */
export function unfoldHome(file: string, home: string): string {
  return file.startsWith("~/") ? `${home}${file.slice(1)}` : file;
}

export function sourced<T>(value: T, origin: Origin = defaultOrigin): Sourced<T> {
  return { value, origin };
}

/** A plain list of names as a NameList whose entries all share one origin. */
export function nameList(names: readonly string[], origin: Origin = defaultOrigin): NameList {
  return { value: names.map((name) => ({ value: name, origin })), origin };
}
