import { isRecord } from "../shape/is-record.ts";
/** What became of a call. */
export const RESULT_TYPES = ["success", "failure", "rejected", "denied", "timeout"] as const;
export type ResultType = (typeof RESULT_TYPES)[number];

/** Who ended a call before it was done. */
const CANCELLERS = ["user", "sibling", "timeout", "refusal", "shutdown"] as const;
export type Canceller = (typeof CANCELLERS)[number];

export interface BinaryResult {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly type: string;
  readonly description?: string;
}

/** `error`, `sessionLog` and `toolTelemetry` are for people and never reach the model. */
export interface ToolResult {
  readonly textResultForLlm: string;
  readonly resultType: ResultType;
  readonly binaryResultsForLlm?: readonly BinaryResult[];
  readonly structured?: unknown;
  readonly error?: string;
  readonly sessionLog?: string;
  readonly toolTelemetry?: Readonly<Record<string, unknown>>;
  readonly cancelledBy?: Canceller;
  /** How many hidden characters or sequences were taken out of what strangers said in it. */
  readonly dropped?: number;
  /** Why Toolcrib itself refused or failed the call, such as `permission.no-handler` or `tool_gone`. */
  readonly code?: string;
}

/** All that is known of any result besides its text. */
const FIELDS: readonly (keyof ToolResult)[] = [
  "binaryResultsForLlm",
  "structured",
  "error",
  "sessionLog",
  "toolTelemetry",
  "cancelledBy",
  "dropped",
  "code",
];

/** The result in other words. What its source added in words of its own is left out, or it would undo the change. */
export function reword(result: ToolResult, textResultForLlm: string): ToolResult {
  const { resultType } = result;
  const stated = FIELDS.flatMap((key) => (result[key] === undefined ? [] : [[key, result[key]] as const]));
  return { textResultForLlm, resultType, ...Object.fromEntries(stated) };
}

/** Whatever a handler returned, as a result. Never throws. */
export function toToolResult(value: unknown): ToolResult {
  if (value === null || value === undefined) return failure("Tool returned no result");
  if (typeof value === "string") return { textResultForLlm: value, resultType: "success" };
  try {
    if (typeof value === "object") {
      if (isError(value)) return fromThrown(value);
      if (claimsResult(value)) return readResult(value);
      if (isBytes(value)) return failure(UNREADABLE, BYTES);
    }
    const text: unknown = JSON.stringify(value);
    if (text === "{}" && isKeptByNone(Object(value)))
      return failure(
        UNREADABLE,
        `JSON keeps nothing of what the handler returned: ${Object.prototype.toString.call(value)}`,
      );
    if (typeof text === "string") return { textResultForLlm: text, resultType: "success" };
    return failure(UNREADABLE, `the handler returned a ${typeof value}, which JSON cannot say`);
  } catch (error) {
    return failure(UNREADABLE, `the handler's result is not JSON: ${messageOf(error)}`);
  }
}

/** A generic text for the model; the real message only where people look, for it may hold addresses and secrets. */
export function fromThrown(error: unknown): ToolResult {
  return failure("Invoking this tool produced an error. Detailed information is not available.", messageOf(error));
}

const UNREADABLE = "Tool returned a result that cannot be read";
const BYTES = "the handler returned bytes: return text, or a result with binaryResultsForLlm";

/** An error that is returned is no success, and its fields are as private as those of one that is thrown. */
function isError(value: object): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** Pictures need no text beside them. */
function claimsResult(value: object): boolean {
  const text: unknown = Reflect.get(value, "textResultForLlm");
  if (text !== undefined) return typeof text === "string";
  const binary: unknown = Reflect.get(value, "binaryResultsForLlm");
  return Array.isArray(binary) && binary.some(isBinaryResult);
}

function isBytes(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** Maps, answers of the web, generators: what they hold is no field, and they do not say themselves in JSON. */
function isKeptByNone(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return !isPlain && typeof Reflect.get(value, "toJSON") !== "function";
}

function failure(textResultForLlm: string, error?: string): ToolResult {
  return { textResultForLlm, resultType: "failure", ...(error === undefined ? {} : { error }) };
}

/**
 * Keeps the known fields of the right type. An object that claims to be a result is never written out as JSON,
 * even when half of it is wrong, because that would show the model its `error`.
 */
function readResult(value: object): ToolResult {
  const field = (key: keyof ToolResult): unknown => Reflect.get(value, key);
  const type = field("resultType") ?? "success";
  const resultType = RESULT_TYPES.find((known) => known === type);
  const binary = field("binaryResultsForLlm");
  const structured = field("structured");
  const error = field("error") ?? (resultType === undefined ? `unknown resultType ${String(type)}` : undefined);
  const log = field("sessionLog");
  const telemetry = field("toolTelemetry");
  const cancelledBy = CANCELLERS.find((known) => known === field("cancelledBy"));
  return {
    textResultForLlm: String(field("textResultForLlm") ?? ""),
    resultType: resultType ?? "failure",
    ...(Array.isArray(binary) ? { binaryResultsForLlm: binary.filter(isBinaryResult) } : {}),
    ...(structured === undefined ? {} : { structured }),
    ...(error === undefined ? {} : { error: typeof error === "string" ? error : messageOf(error) }),
    ...(typeof log === "string" ? { sessionLog: log } : {}),
    ...(isRecord(telemetry) ? { toolTelemetry: telemetry } : {}),
    ...(cancelledBy === undefined ? {} : { cancelledBy }),
  };
}

function isBinaryResult(value: unknown): value is BinaryResult {
  if (!isRecord(value)) return false;
  return [value.data, value.mimeType, value.type].every((part) => typeof part === "string");
}

/** Anything can be thrown, also things that throw again when looked at. */
function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return typeof error === "object" ? (JSON.stringify(error) ?? "") : String(error);
    return error.message === "" ? error.name : String(error.message);
  } catch {
    return "an error that cannot be read";
  }
}
