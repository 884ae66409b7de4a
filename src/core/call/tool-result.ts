import { isRecord } from "../shape/is-record.ts";
/** How a call ended. */
export const RESULT_TYPES = ["success", "failure", "rejected", "denied", "timeout"] as const;
export type ResultType = (typeof RESULT_TYPES)[number];

/** Who or what ended a call early. */
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
  /** How many hidden characters or sequences were removed from untrusted text in the result. */
  readonly dropped?: number;
  /** Why Toolcrib itself refused or failed the call, such as `permission.no-handler` or `tool_gone`. */
  readonly code?: string;
}

/** Every known field of a result except its text. */
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

/** The result with another text, without fields that repeat the source's own text: they would undo the change. */
export function reword(result: ToolResult, textResultForLlm: string): ToolResult {
  const { resultType } = result;
  const stated = FIELDS.flatMap((key) => (result[key] === undefined ? [] : [[key, result[key]] as const]));
  return { textResultForLlm, resultType, ...Object.fromEntries(stated) };
}

/** Turns anything a handler returned into a result. Never throws. */
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

/** The model gets a generic text. Only people see the real message, which may contain addresses and secrets. */
export function fromThrown(error: unknown): ToolResult {
  return failure("Invoking this tool produced an error. Detailed information is not available.", messageOf(error));
}

const UNREADABLE = "Tool returned a result that cannot be read";
const BYTES = "the handler returned bytes: return text, or a result with binaryResultsForLlm";

/** A returned error is no success, and its fields are as private as those of a thrown one. */
function isError(value: object): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** Pictures need no accompanying text. */
function claimsResult(value: object): boolean {
  const text: unknown = Reflect.get(value, "textResultForLlm");
  if (text !== undefined) return typeof text === "string";
  const binary: unknown = Reflect.get(value, "binaryResultsForLlm");
  return Array.isArray(binary) && binary.some(isBinaryResult);
}

function isBytes(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/** Maps, web responses, generators: their content is in no own field, so JSON would show them empty. */
function isKeptByNone(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return !isPlain && typeof Reflect.get(value, "toJSON") !== "function";
}

function failure(textResultForLlm: string, error?: string): ToolResult {
  return { textResultForLlm, resultType: "failure", ...(error === undefined ? {} : { error }) };
}

/**
 * Keeps the known fields of the right type. An object that claims to be a result is never written out as JSON, even if
 * it is malformed, because that would show the model its `error`.
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

/** Anything can be thrown, including objects that throw again when read. */
function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return typeof error === "object" ? (JSON.stringify(error) ?? "") : String(error);
    return error.message === "" ? error.name : String(error.message);
  } catch {
    return "an error that cannot be read";
  }
}
