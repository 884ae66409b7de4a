import { ERRORS } from "./errors.ts";
import { NOTICES } from "./notices.ts";
import { REASONS } from "./reasons.ts";

export type ErrorCode = keyof typeof ERRORS;
export type NoticeCode = keyof typeof NOTICES;
export type ReasonCode = keyof typeof REASONS;
export type Code = ErrorCode | NoticeCode | ReasonCode;

interface CodeSpec {
  readonly kind: "error" | "notice" | "reason";
  readonly means: string;
}

/** Every code that Toolcrib prints. A test compares `docs/reference/codes.md` with it in both directions. */
export const CODES = Object.fromEntries([
  ...specs("error", ERRORS),
  ...specs("notice", NOTICES),
  ...specs("reason", REASONS),
]) as Readonly<Record<Code, CodeSpec>>; // The keys of three tables, each with its kind.

function specs(kind: CodeSpec["kind"], table: Readonly<Record<string, string>>): readonly [string, CodeSpec][] {
  return Object.entries(table).map(([code, means]) => [code, { kind, means }]);
}
