import type { ConfigNode } from "./config-node.ts";

/**
 * What a value of the file may be. One table of these (`file-shape.ts`) is validated against, merged and masked by,
 * published as JSON Schema, and printed in the reference.
 */
export type Shape =
  | TextShape
  | NumberShape
  | FlagShape
  | ChoiceShape
  | ListShape
  | MapShape
  | RecordShape
  | EitherShape
  | AnyShape;

/** How values of several layers become one; without it records and maps go by key and all else is replaced. */
type MergeRule = "replace" | "union" | "by-name" | "append";

interface Common {
  /** One line for the reference and the JSON Schema. */
  readonly about?: string;
  /** Null is a value of its own, such as "no filter", and beats lower layers. */
  readonly nullable?: true;
  readonly merge?: MergeRule;
  /** Set by managed policy, a lower layer may only take entries away. */
  readonly narrow?: true;
  /** From a project file it counts only in a trusted workspace: always, or for the values the test accepts. */
  readonly trust?: { readonly what: string; readonly when?: (node: ConfigNode) => boolean };
  readonly default?: string;
  /** Only managed policy files may set it. */
  readonly policyOnly?: true;
  /** Another spelling of the key named here. */
  readonly aliasOf?: string;
}

interface TextShape extends Common {
  readonly kind: "text";
  readonly means?: "rule" | "use";
  /** May be empty. */
  readonly blank?: true;
  /** `${VAR}` is replaced. */
  readonly expands?: true;
  /** Never shown: all of it, what an address hides, or what follows a telling option. */
  readonly secret?: "all" | "url" | "option";
}
interface NumberShape extends Common {
  readonly kind: "number";
  readonly least: number;
  readonly most?: number;
}
interface FlagShape extends Common {
  readonly kind: "flag";
}
export interface ChoiceShape extends Common {
  readonly kind: "choice";
  readonly values: readonly string[];
}
interface ListShape extends Common {
  readonly kind: "list";
  readonly of: Shape;
}
export interface MapShape extends Common {
  readonly kind: "map";
  readonly of: Shape;
}
export interface RecordShape extends Common {
  readonly kind: "record";
  readonly fields: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** Exactly one of these keys must be there. */
  readonly oneOf?: readonly string[];
}
/** Whatever stands there is handed on as it is. */
interface AnyShape extends Common {
  readonly kind: "any";
}
export interface EitherShape extends Common {
  readonly kind: "either";
  readonly options: readonly Shape[];
}

type Extra<S> = Omit<S, "kind">;
export const text = (extra: Extra<TextShape> = {}): TextShape => ({ kind: "text", ...extra });
export const any = (extra: Extra<AnyShape> = {}): AnyShape => ({ kind: "any", ...extra });
export const flag = (extra: Extra<FlagShape> = {}): FlagShape => ({ kind: "flag", ...extra });
export const number = (least: number, extra: Omit<NumberShape, "kind" | "least"> = {}): NumberShape => ({
  kind: "number",
  least,
  ...extra,
});
export const choice = (values: readonly string[], extra: Omit<ChoiceShape, "kind" | "values"> = {}): ChoiceShape => ({
  kind: "choice",
  values,
  ...extra,
});
export const list = (of: Shape, extra: Omit<ListShape, "kind" | "of"> = {}): ListShape => ({
  kind: "list",
  of,
  ...extra,
});
export const map = (of: Shape, extra: Omit<MapShape, "kind" | "of"> = {}): MapShape => ({ kind: "map", of, ...extra });
export const record = (
  fields: Readonly<Record<string, Shape>>,
  extra: Omit<RecordShape, "kind" | "fields"> = {},
): RecordShape => ({ kind: "record", fields, ...extra });
export const either = (options: readonly Shape[], extra: Omit<EitherShape, "kind" | "options"> = {}): EitherShape => ({
  kind: "either",
  options,
  ...extra,
});

/** The shape of a record's field; own keys only, so that `constructor` is as unknown as any other word. */
export function fieldOf(shape: RecordShape, key: string): Shape | undefined {
  return Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
}

/** The option of an either that a node is to be read as, going by its kind alone. */
export function optionFor(shape: EitherShape, node: ConfigNode): Shape | undefined {
  return shape.options.find((option) => fits(option, node));
}

/** Whether the node is of the kind that the shape asks for; what is inside may still be wrong. */
export function fits(shape: Shape, node: ConfigNode): boolean {
  switch (shape.kind) {
    case "text":
      return node.kind === "scalar" && typeof node.value === "string";
    case "number":
      return node.kind === "scalar" && typeof node.value === "number";
    case "flag":
      return node.kind === "scalar" && typeof node.value === "boolean";
    case "choice":
      return node.kind === "scalar" && typeof node.value === "string";
    case "list":
      return node.kind === "list";
    case "map":
    case "record":
      return node.kind === "map";
    case "either":
      return shape.options.some((option) => fits(option, node));
    case "any":
      return true;
  }
}

/** Where a key with nothing behind it, as people leave it in YAML, counts as not written. */
export function isContainer(shape: Shape): boolean {
  if (shape.kind === "record") return shape.required === undefined && shape.oneOf === undefined;
  return shape.kind === "list" || shape.kind === "map";
}
