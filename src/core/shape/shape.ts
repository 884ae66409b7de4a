import type { NameList, Origin, Sourced } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import { type ConfigNode, isNull, type Scalar } from "./node.ts";

/**
 * What a value may be, and what it is read as: `T` if present, `A` if absent. One shape defines checking, merging,
 * masking, reading, writing, the JSON Schema and the reference.
 */
export type Shape<T = unknown, A = unknown> = AnyShape & Reads<T, A>;
type AnyShape =
  | TextShape
  | NumberShape
  | FlagShape
  | ChoiceShape
  | ListShape
  | MapShape
  | RecordShape
  | EitherShape
  | AnythingShape;

declare const READS: unique symbol;
/** Exists for the compiler only. */
export interface Reads<T, A> {
  readonly [READS]?: { readonly value: T; readonly absent: A };
}
/** The type that a shape is read as in a record. */
type ValueOf<S> = S extends Reads<infer T, infer A> ? T | A : never;
/** The type that it is read as when present. */
export type PresentOf<S> = S extends Reads<infer T, unknown> ? T : never;

/** How values of several layers merge. By default records and maps merge by key and all else is replaced. */
type MergeRule = "replace" | "union" | "by-name" | "append";
type Written = string | number | boolean | null | readonly Written[] | { readonly [key: string]: Written };

/** What is wrong with a value of the right kind: the text that follows its path in the message. */
export interface Flaw {
  readonly text: string;
  readonly origin?: Origin;
  readonly code?: "rule.invalid";
}

/** The position of a value, for its converter. */
export interface ShapePlace {
  readonly node: ConfigNode;
  readonly path: string;
  /** The last key of the path. */
  readonly key: string;
  readonly around: ShapeSurroundings;
  /** Unset variables below the nearest unit. */
  readonly unset: string[];
}

/** What converting written values needs. */
export interface ShapeSurroundings {
  /** Variables to expand; null if values are literal, as in a program's own options. */
  readonly env: Readonly<Record<string, string | undefined>> | null;
  /** A person's own values for what is written at a place; they precede `env`. */
  readonly keysOf?: (origin: Origin) => Readonly<Record<string, string>>;
  readonly home: string;
  /** The folder that relative paths of a value start from. */
  readonly baseOf: (origin: Origin) => string;
  readonly notices: Notice[];
  /** The content of the `envFile` at each node; absent if none is read. */
  readonly envFiles?: ReadonlyMap<ConfigNode, EnvFile>;
}

export interface EnvFile {
  /** The variables that the program gets. */
  readonly passed: ReadonlyMap<string, string>;
  /** The variables that its own `env` may refer to. */
  readonly referred: ReadonlyMap<string, string>;
}

/** What a project's file may do with a value before a person trusted it. A value without a mark needs trust. */
export type TrustMark = TrustNeed | Narrowing;

/** It counts only after a person agreed: always, or for the values that `when` accepts. All others only narrow. */
type TrustNeed = Guarding & { readonly what: string } & (
    | { readonly when?: never; readonly keeps?: never; readonly atOnce?: never }
    | ({ readonly when: (node: ConfigNode, own: Own) => boolean; readonly keeps?: never } & CountsAtOnce)
    /** Fields that only narrow: they count while the rest waits, unless a person has an entry of that name. */
    | ({ readonly when?: never; readonly keeps: readonly string[] } & CountsAtOnce)
  );

/** It only removes, whatever its value and its neighbours. */
interface Narrowing extends Guarding, CountsAtOnce {
  readonly narrows: true;
  readonly what?: string;
}

interface CountsAtOnce {
  /** Which of its values count before anybody trusts them, and why they can only remove; for the reference. */
  readonly atOnce: string;
}

interface Guarding {
  /** Which calls it can refuse: if a trusted one is changed or gone, those are denied. */
  readonly guards?: (node: ConfigNode, path: string) => Covered | null;
}

/** What applies without any file of the project: a person's own configuration and managed policy. */
export interface Own {
  /** The value at the same path. */
  readonly here: ConfigNode | undefined;
  readonly root: ConfigNode | undefined;
  /** The key of the value, if a person chose it. */
  readonly key: string;
}

/** The calls that a rule or hook guards. Stored with what was trusted, so that they stay denied when it is gone. */
export type Covered =
  | { readonly kind: "rule"; readonly rule: string }
  | {
      readonly kind: "hook";
      readonly event: string;
      readonly matcher: string | null;
      readonly when: string | null;
      readonly dialect: string | null;
    };

export type IsStricter = (value: Scalar, than: Scalar) => boolean;

export interface Common {
  /** One line for the reference and the JSON Schema. */
  readonly about?: string;
  /** Null is a value of its own, such as "no filter", and beats lower layers. */
  readonly nullable?: true;
  /** A record without it is invalid. */
  readonly required?: true;
  readonly merge?: MergeRule;
  /** If managed policy sets it, a lower layer may only remove entries, or set a value that this finds stricter. */
  readonly narrow?: true | IsStricter;
  readonly trust?: TrustMark;
  /** The default as a person would write it. */
  readonly default?: Written;
  /** Only managed policy files may set it. */
  readonly policyOnly?: true;
  /** An alias of the key named here. */
  readonly aliasOf?: string;
  /** A check beyond its kind. */
  readonly valid?: (node: ConfigNode) => Flaw | null;
  /** Fails on its own if a variable in it is not set. */
  readonly unit?: true;
  /** Converts from what its kind is read as to the product's type. */
  readonly to?: (value: unknown, place: ShapePlace) => unknown;
  /** The inverse of `to`, if it is written somewhere. */
  readonly from?: (value: unknown) => unknown;
}

export interface TextShape extends Common {
  readonly kind: "text";
  /** Its name in the reference. */
  readonly means?: string;
  /** The pattern in the JSON Schema. */
  readonly pattern?: string;
  /** May be empty. */
  readonly blank?: true;
  /** `${VAR}` is replaced. */
  readonly expands?: true;
  /**
   * Never shown: all of it, the secret part of an address, or what follows an option for secrets. `named`: all of it
   * too, except to the person who decides whether it may run; they see it unless its name or form is that of a secret.
   */
  readonly secret?: "all" | "named" | "url" | "option";
}
export interface NumberShape extends Common {
  readonly kind: "number";
  readonly least: number;
  readonly most?: number;
  /** Fractions are allowed. */
  readonly fraction?: true;
}
interface FlagShape extends Common {
  readonly kind: "flag";
}
export interface ChoiceShape extends Common {
  readonly kind: "choice";
  readonly values: readonly string[];
}
export interface ListShape extends Common {
  readonly kind: "list";
  readonly of: Shape;
}
interface MapShape extends Common {
  readonly kind: "map";
  readonly of: Shape;
}
export interface RecordShape extends Common {
  readonly kind: "record";
  readonly fields: Readonly<Record<string, Shape>>;
  /** Exactly one of these keys must be present. */
  readonly oneOf?: readonly string[];
  /** Keys that are not written if they equal the default; true for all of them. */
  readonly brief?: true | readonly string[];
  /** Absent keys are left out, because its converter fills them in anyway: a file may hold very many of such records. */
  readonly sparse?: true;
}
/** Any value, passed on unchanged. */
interface AnythingShape extends Common {
  readonly kind: "any";
}
export interface EitherShape extends Common {
  readonly kind: "either";
  readonly options: readonly Shape[];
}

type Extra<S> = Omit<S, "kind" | "of" | "fields" | "options" | "values" | "least" | "to" | "from">;
type Absent<E> = E extends { readonly nullable: true }
  ? null
  : E extends { readonly required: true }
    ? never
    : E extends { readonly default: infer D }
      ? D extends null
        ? null
        : never
      : null;
type None = Readonly<Record<never, never>>;

export function text<const E extends Extra<TextShape> = None>(extra?: E): Shape<string, Absent<E>> {
  return { kind: "text", ...extra };
}
export function any<const E extends Extra<AnythingShape> = None>(extra?: E): Shape<unknown, Absent<E>> {
  return { kind: "any", ...extra };
}
export function flag<const E extends Extra<FlagShape> = None>(extra?: E): Shape<boolean, Absent<E>> {
  return { kind: "flag", ...extra };
}
export function number<const E extends Extra<NumberShape> = None>(least: number, extra?: E): Shape<number, Absent<E>> {
  return { kind: "number", least, ...extra };
}
export function choice<const V extends readonly string[], const E extends Extra<ChoiceShape> = None>(
  values: V,
  extra?: E,
): Shape<V[number], Absent<E>> {
  return { kind: "choice", values, ...extra };
}
export function list<T, const E extends Extra<ListShape> = None>(
  of: Shape<T>,
  extra?: E,
): Shape<readonly T[], Absent<E>> {
  return { kind: "list", of, ...extra };
}
export function map<T, const E extends Extra<MapShape> = None>(
  of: Shape<T>,
  extra?: E,
): Shape<ReadonlyMap<string, T>, Absent<E>> {
  return { kind: "map", of, ...extra };
}
export function record<const F extends Readonly<Record<string, Shape>>, const E extends Extra<RecordShape> = None>(
  fields: F,
  extra?: E,
): RecordOf<F> & Reads<ReadFields<F, E>, Absent<E>> {
  return { kind: "record", fields, ...extra };
}
export interface RecordOf<F> extends Omit<RecordShape, "fields"> {
  readonly fields: F;
}
type ReadFields<F, E> = E extends { readonly sparse: true } ? Partial<FieldsOf<F>> : FieldsOf<F>;
export type FieldsOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> };

export function either<const O extends readonly Shape[], const E extends Extra<EitherShape> = None>(
  options: O,
  extra?: E,
): Shape<PresentOf<O[number]>, Absent<E>> {
  return { kind: "either", options, ...extra };
}

/** The same shape, read as something else; with an inverse it can be written too. */
export function to<T, A, U>(
  shape: Shape<T, A>,
  convert: (value: T, place: ShapePlace) => U,
  back?: (value: U) => unknown,
): Shape<U, A> {
  const { to: inner, from: outer } = shape;
  const kind: AnyShape = shape;
  return {
    ...kind,
    // The phantom type says what a shape is read as; its functions do not.
    to: (value, place) => convert((inner === undefined ? value : inner(value, place)) as T, place),
    from: (value) => {
      if (back === undefined) throw new Error("this is only ever read");
      const written = back(value as U);
      return outer === undefined || written === null || written === undefined ? written : outer(written);
    },
  } as Shape<U, A>;
}

/** The value and its origin. */
export function sourcedShape<T, A>(shape: Shape<T, A>): Shape<Sourced<T>, A> {
  return to(
    shape,
    (value, { node }): Sourced<T> =>
      node.also !== undefined ? { value, origin: node.origin, also: node.also } : { value, origin: node.origin },
    ({ value }) => value,
  );
}

/** A record with its origin. */
export function placed<T extends object, A>(shape: Shape<T, A>): Shape<T & { readonly origin: Origin }, A> {
  return to(
    shape,
    (value, { node }) => ({ ...value, origin: node.origin }),
    (value) => value,
  );
}

/** A record in which unset fields are absent, not null. */
export function partial<T extends object, A>(
  shape: Shape<T, A>,
): Shape<{ readonly [K in keyof T]?: NonNullable<T[K]> }, A> {
  return to(
    shape,
    (value) =>
      Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as {
        [K in keyof T]?: NonNullable<T[K]>; // The nulls are gone, and every other member has its type from T.
      },
    (value) => value,
  );
}

/** A list of names, each with its origin. */
export function names<const E extends Extra<ListShape>>(
  extra: E,
  each: Shape<string, null> = text(),
): Shape<NameList, Absent<E>> {
  return to(
    sourcedShape(list(sourcedShape(each), extra)),
    (value, { node }): NameList =>
      node.kind === "list" && node.called !== undefined ? { ...value, called: node.called } : value,
    (value) => value,
  ) as Shape<NameList, Absent<E>>; // E alone determines the absent value.
}

/** The shape of a record's field; own keys only, so that `constructor` is as unknown as any other word. */
export function fieldOf(shape: RecordShape, key: string): Shape | undefined {
  return Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
}

/** The option of an either for a node, by its kind alone; a null node gets the first. */
export function optionFor(shape: EitherShape, node: ConfigNode): Shape | undefined {
  return isNull(node) ? shape.options[0] : shape.options.find((option) => fits(option, node));
}

/** Whether the node has the kind of the shape; its content may still be wrong. */
export function fits(shape: Shape, node: ConfigNode): boolean {
  switch (shape.kind) {
    case "text":
    case "choice":
      return node.kind === "scalar" && typeof node.value === "string";
    case "number":
      return node.kind === "scalar" && typeof node.value === "number";
    case "flag":
      return node.kind === "scalar" && typeof node.value === "boolean";
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

/** Whether an empty key, as people leave it in YAML, counts as absent. */
export function isContainer(shape: Shape): boolean {
  if (shape.kind === "either") return shape.options[0] !== undefined && isContainer(shape.options[0]);
  if (shape.kind === "record")
    return shape.oneOf === undefined && Object.values(shape.fields).every(({ required }) => required !== true);
  return shape.kind === "list" || shape.kind === "map";
}

/** Whether a shape has no parts with trust marks of their own. */
export function isLeaf(shape: Shape): boolean {
  if (shape.kind === "list") return shape.of.trust === undefined && isLeaf(shape.of);
  if (shape.kind === "either") return shape.options.every((option) => option.trust === undefined && isLeaf(option));
  return shape.kind !== "record" && shape.kind !== "map";
}
