import type { Decision } from "../../core/call/decision.ts";
import { CODE_TOOL } from "../../core/catalog/code-tool.ts";
import type { Sourced } from "../../core/codes/origin.ts";
import type { RuleLists } from "../../core/rules/compile-rules.ts";
import type { RuleContext, RuledCallSubject } from "../../core/rules/decide.ts";
import type { FolderAlias } from "../../core/rules/paths.ts";
import type { Mode } from "../../core/scene/scene.ts";
import type { CallReach } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import type { CallSubject } from "./call-subject.ts";
import { createRepositoryFinder } from "./find-repository.ts";
import { listNames, rememberLinks } from "./read-link.ts";

/** The rules and the mode as they are now. */
export interface RuleSetting {
  readonly lists: RuleLists;
  readonly mode: Sourced<Mode>;
  /** Whether commands in a sandbox need a question. */
  readonly sandboxed?: Sourced<"allow" | "ask">;
  readonly workspace: string;
  /** Further folders that count as the workspace does. */
  readonly added: readonly string[];
  readonly home: string;
  /** Of these folders, the ones that are reached through links: they stand here by where they really are. */
  readonly aliases?: readonly FolderAlias[];
  /** What of the configuration runs a file outside any sandbox; asked anew for each call. */
  readonly host?: () => RuleContext["host"];
  /** Whether an identifier of a rule means a tool, as the one resolver says; `broadly` also by its second meanings. */
  readonly means: (identifier: string, call: Pick<PreparedCall, "entry">, how: "first" | "broadly") => boolean;
  /** Changes whenever a name may mean another tool. */
  readonly names: () => unknown;
  /** Changes whenever one of these does. */
  readonly revision: unknown;
}

/** What the rule book looks at; who would run the call is not among it. */
export type RuledCall = Omit<PreparedCall, "source">;

/** What rules, mode and kept approvals say, before anybody is asked. */
export interface Ruling {
  readonly decision: Decision;
  readonly subject: CallSubject;
  readonly mode: Sourced<Mode>;
  /** The call changes nothing, by its tool's word or by its command line. */
  readonly readOnly: boolean;
  /** The narrowest rules that would allow it; worked out when somebody is asked. */
  readonly narrowest: (call: RuledCall) => readonly string[];
  /** What an approval of exactly this call is for: its arguments, and where their paths lead if links are on the way. */
  readonly exactly: (call: RuledCall) => unknown;
  /** The approval that was kept for exactly that; null when there is none. */
  readonly bound: (call: RuledCall) => Decision | null;
  /** What the call may use once it is allowed: where its paths led when this was ruled, and what rules say of the rest. */
  readonly reach: (call: RuledCall) => CallReach;
}

export function toContext({ cwd, confinement }: CallSubject, setting: RuleSetting): RuleContext {
  const { home, workspace, added, aliases = [], mode, sandboxed } = setting;
  const host = setting.host?.();
  return {
    cwd,
    ...(confinement === undefined ? {} : { confinement }),
    ...(sandboxed?.value === "allow" ? { sandboxed: sandboxed.origin } : {}),
    ...(host === undefined ? {} : { host }),
    home,
    workspace,
    added,
    aliases,
    readLink: rememberLinks(),
    list: listNames,
    repositoryAt: createRepositoryFinder([workspace, ...added]),
    // Not to ask is decided where asking is, so that grants for exact arguments are heeded first.
    mode: mode.value === "dont-ask" ? "default" : mode.value,
    allowReadOnly: true,
  };
}

export function toJudged(
  prepared: RuledCall,
  { subject }: CallSubject,
  { means }: RuleSetting,
  how: "first" | "broadly" = "first",
): RuledCallSubject {
  return {
    toolName: prepared.call.toolName,
    isMeantBy: (identifier) => means(identifier, prepared, how),
    subject,
    arguments: prepared.args,
    readOnly: prepared.tool.traits.readOnly,
    ...(prepared.tool === CODE_TOOL ? { isJudgedInside: true } : {}),
  };
}
