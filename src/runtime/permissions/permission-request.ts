import type { CodeLine } from "../../core/call/call.ts";
import type { DecidedPart } from "../../core/call/decision.ts";
import type { PermissionKind } from "../../core/call/permission-kind.ts";
import { toShownName } from "../../core/catalog/shown-name.ts";
import type { ReasonCode } from "../../core/codes/codes.ts";

const GRANT_SCOPES = ["once", "session", "project", "user"] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** What could be stored of an approval. The first suggestion is stored unless the answer says otherwise. */
export interface Suggestion {
  /** Rules that would be stored; empty if only these exact arguments would be. */
  readonly rules: readonly string[];
  /** One line for people. */
  readonly text: string;
}

/** A question whether a call may run. */
export interface PermissionRequest {
  readonly kind: PermissionKind;
  readonly toolName: string;
  readonly toolArgs: Readonly<Record<string, unknown>>;
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly description: string;
  /** Parts that were judged separately: each command of a shell line, each file. */
  readonly parts: readonly DecidedPart[];
  /** Why it is asked. */
  readonly reason: string;
  /** The setting that requires it, with file and line; `default` if none does. */
  readonly origin: string;
  /** Who would run the call, such as `server github`. */
  readonly source: string;
  readonly code: ReasonCode;
  /** The line of code that makes the call, if the model runs code. */
  readonly codeLine?: CodeLine;
  /**
   * Digest of everything that a yes is about: tool, arguments, what would run them, the reason, hooks, filters. Another one is
   * another question. Absent for classifiers.
   */
  readonly about?: string;
  /** Empty if it is asked every time, whatever was answered before. */
  readonly suggestions: readonly Suggestion[];
  /** Aborted when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
}

/** The tool's name for people, `server/tool`. */
export function describeTool(request: Pick<PermissionRequest, "toolName" | "source">): string {
  const server = serverOfRequest(request);
  return server === null ? request.toolName : toShownName(request.toolName, server);
}

/** The server that would run the call; null if none would. */
export function serverOfRequest({ source }: Pick<PermissionRequest, "source">): string | null {
  return source.startsWith(FROM_SERVER) ? source.slice(FROM_SERVER.length) : null;
}
const FROM_SERVER = "server ";

/** The line of code that makes the call, for people; null if no code does. */
export function describeLine({ codeLine }: Pick<PermissionRequest, "codeLine">): string | null {
  return codeLine === undefined ? null : `line ${codeLine.line} of the model's code: ${codeLine.text}`;
}

export interface PermissionAnswer {
  readonly decision: "allow" | "deny";
  /** How long an allow counts; `once` if absent. */
  readonly scope?: GrantScope;
  /** Store it for these exact arguments, whatever rule is suggested. */
  readonly boundToArguments?: boolean;
  /** Milliseconds after which a stored approval expires. */
  readonly expiresIn?: number;
  /** For the model, so that it can continue. */
  readonly reason?: string;
  /** With a deny: the model is not asked again in this turn. */
  readonly endTurn?: boolean;
  /** With a deny: the question reached nobody who could answer it. */
  readonly isUnasked?: boolean;
  /** Who answered, for the log; the user if absent. */
  readonly by?: string;
  /** Different input to allow; it is judged like the first one. */
  readonly updatedInput?: unknown;
  /** Why the one who answered was allowed to, where that was checked; as it was at the question if absent. */
  readonly under?: readonly string[];
}

export type PermissionHandler = (request: PermissionRequest) => PermissionAnswer | Promise<PermissionAnswer>;

/** Reads an answer, also in Copilot's format; one that cannot be read is a no. */
export function readAnswer(given: unknown): PermissionAnswer {
  if (typeof given !== "object" || given === null) return UNREADABLE;
  const kind: unknown = Reflect.get(given, "kind");
  if (typeof kind === "string") return fromCopilot(kind, given);
  const decision: unknown = Reflect.get(given, "decision");
  if (decision !== "allow" && decision !== "deny") return UNREADABLE;
  const field = (key: keyof PermissionAnswer): unknown => Reflect.get(given, key);
  const scope = GRANT_SCOPES.find((known) => known === field("scope"));
  const [reason, under] = [field("reason"), field("under")];
  const expiresIn = field("expiresIn");
  return {
    decision,
    scope: scope ?? "once",
    boundToArguments: field("boundToArguments") === true,
    endTurn: field("endTurn") === true,
    ...(field("isUnasked") === true ? { isUnasked: true } : {}),
    ...(typeof expiresIn === "number" && expiresIn > 0 ? { expiresIn } : {}),
    ...(typeof reason === "string" && reason !== "" ? { reason } : {}),
    ...(typeof field("by") === "string" ? { by: String(field("by")) } : {}),
    ...(field("updatedInput") === undefined ? {} : { updatedInput: field("updatedInput") }),
    ...(isTextList(under) ? { under } : {}),
  };
}

function isTextList(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((one) => typeof one === "string");
}

/** Why a call did not run whose question reached nobody. */
export const UNREACHED = "permission could not be requested from the user";

const UNREADABLE: PermissionAnswer = {
  decision: "deny",
  reason: "the answer to the permission request could not be read",
};

function fromCopilot(kind: string, given: object): PermissionAnswer {
  const feedback: unknown = Reflect.get(given, "feedback");
  switch (kind) {
    case "approve-once":
    case "approved":
      return { decision: "allow", scope: "once" };
    case "approve-for-session":
      return { decision: "allow", scope: "session" };
    case "approve-for-location":
      return { decision: "allow", scope: "project" };
    case "approve-permanently":
      return { decision: "allow", scope: "user" };
    case "reject":
    case "denied-interactively-by-user":
      return typeof feedback === "string" && feedback !== ""
        ? { decision: "deny", reason: feedback }
        : { decision: "deny", endTurn: true };
    default:
      return { decision: "deny", reason: UNREACHED, isUnasked: true };
  }
}
