import type { Located } from "./api-file.ts";
import type { Answers } from "./read-answers.ts";

export const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;
export type HttpMethod = (typeof METHODS)[number];

/** Methods that change nothing, and methods that change nothing more when repeated. */
export const READING: ReadonlySet<HttpMethod> = new Set(["get", "head", "options", "trace"]);
export const REPEATABLE: ReadonlySet<HttpMethod> = new Set([...READING, "put", "delete"]);

export const PARAMETER_PLACES = ["path", "query", "header", "cookie"] as const;
export type ParameterPlace = (typeof PARAMETER_PLACES)[number];

export const STYLES = ["simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "deepObject"] as const;
export type ParameterStyle = (typeof STYLES)[number];

export interface Writing {
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

export interface Parameter extends Writing {
  /** The API's name for it. */
  readonly name: string;
  /** The tool's name for it. */
  readonly key: string;
  readonly place: ParameterPlace;
  readonly required: boolean;
  readonly description: string | null;
  readonly schema: Located | null;
  /** The value is written in this media type instead of a style. */
  readonly mediaType: string | null;
}

export interface RequestBody {
  readonly key: string;
  readonly required: boolean;
  readonly description: string | null;
  readonly mediaType: string;
  readonly schema: Located | null;
  /** For a form: the fields that are files, and how the others are written. */
  readonly files: ReadonlyMap<string, { readonly isList: boolean; readonly mediaType: string | null }>;
  readonly encoding: ReadonlyMap<string, Writing & { readonly mediaType: string | null }>;
}

/** Security schemes that are required together, each with its scopes; several of these are alternatives. */
export type Requirement = ReadonlyMap<string, readonly string[]>;

/** One operation of an API: what is needed to show it as a tool, and to call it. */
export interface Operation {
  readonly name: string;
  readonly method: HttpMethod;
  /** As in the document: `/pets/{petId}`. */
  readonly path: string;
  readonly summary: string | null;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | null;
  readonly security: readonly Requirement[];
  readonly answers: Answers;
  /** Headers of answers that the document names, in lower case. */
  readonly answerHeaders: ReadonlySet<string>;
  /** Its own servers, if they differ from the API's. */
  readonly servers: Located | null;
  readonly at: Located;
}
