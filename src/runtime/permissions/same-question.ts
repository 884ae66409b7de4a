import { createHash } from "node:crypto";
import type { Decision } from "../../core/call/decision.ts";
import type { Origin } from "../../core/codes/origin.ts";
import type { Subject } from "../../core/rules/decide.ts";
import { describeSource } from "../../core/tool/tool.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import type { Ruling } from "./ruling.ts";

/** What decides about a call beside its rules: lists whose values are the same for as long as that is. */
export interface Grounds {
  /** How the program is started or reached that would run it. */
  readonly program: readonly unknown[];
  readonly hooks: readonly unknown[];
  readonly filters: readonly unknown[];
  readonly sandbox: readonly unknown[];
  readonly classifier: readonly unknown[];
}

/** A question that somebody answered, as far as another one can differ from it. */
export interface QuestionAsked {
  readonly about: string;
  /** What makes somebody one who may answer it, when it was answered. */
  readonly approvers: readonly string[] | null;
}

const CHANGED = {
  program: "how its server or program is started or reached",
  hooks: "the hooks that decide about it",
  filters: "the filters of its arguments",
  sandbox: "the sandbox",
  classifier: "what judges calls that no rule covers",
} as const satisfies Record<keyof Grounds, string>;
export const OTHER_APPROVERS = "who may approve it";
/** Without a change of the configuration: files, links, names of tools. */
export const WHAT_IT_NAMES = "what it names or leads to";

const OF_ANY_CALL: ReadonlySet<string> = new Set(["hooks", "filters"] satisfies (keyof Grounds)[]);

/** The first thing that is not as it was; null if all is. Without a yes, only what has seen the call counts. */
export function findChangedGround(before: Grounds, now: Grounds, isApproved: boolean): string | null {
  for (const [ground, what] of Object.entries(CHANGED) as [keyof Grounds, string][]) {
    const [was, is] = [before[ground], now[ground]];
    const isSame = was.length === is.length && was.every((part, at) => part === is[at]);
    if (!isSame && (isApproved || OF_ANY_CALL.has(ground))) return what;
  }
  return null;
}

/** Somebody who could say yes could not any longer; that others can by now takes nothing away. */
export function isNarrowed(before: readonly string[] | null, now: readonly string[] | null): boolean {
  return before !== null && now !== null && before.some((one) => !now.includes(one));
}

/** What is asked about a call, without what may change while the question stays: lines of files, other settings. */
export function toAbout(
  call: PreparedCall,
  { subject: { subject, cwd, confinement }, exactly }: Ruling,
  { code, text, rule, parts, origin }: Decision,
  isManaged: (origin: Origin) => boolean,
): string {
  const { entry, tool } = call;
  return JSON.stringify([
    ...[call.call.toolName, entry.identity, entry.signature, describeSource(tool), exactly(call)],
    // Each machine has a folder of its own, which matters to what touches files.
    ...[subject.kind, TOUCHING.has(subject.kind) ? cwd : null, confinement !== undefined, confinement?.missed],
    ...[code, text, rule, parts, isManaged(origin)],
  ]);
}

const TOUCHING: ReadonlySet<string> = new Set(["shell", "read", "write", "typed"] satisfies Subject["kind"][]);

/** The same for the same question on any machine and after any restart. */
export function digestQuestion(about: string, grounds: Grounds | null): string {
  return createHash("sha256")
    .update(JSON.stringify([about, grounds]))
    .digest("base64url");
}
