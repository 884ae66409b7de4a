import type { Config } from "../../config/config.ts";
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

/** What decides about calls at one time; another object whenever any of it may be another. */
export interface Revision {
  /** Absent where calls are only judged, and never wait. */
  readonly config?: Config;
  /** Hooks of the program itself. */
  readonly functions?: object;
  /** The program's own classifier. */
  readonly classifier?: unknown;
}

/** The current rules and mode. */
export interface RuleSetting {
  readonly lists: RuleLists;
  readonly mode: Sourced<Mode>;
  /** Whether commands in a sandbox need a question. */
  readonly sandboxed?: Sourced<"allow" | "ask">;
  readonly workspace: string;
  /** Additional folders that count like the workspace. */
  readonly added: readonly string[];
  readonly home: string;
  /** Which of these folders are reached through links; listed here by their real path. */
  readonly aliases?: readonly FolderAlias[];
  /** Which part of the configuration runs a file outside any sandbox; read again for each call. */
  readonly host?: () => RuleContext["host"];
  /**
   * Whether an identifier of a rule means a tool, according to the resolver; `broadly` includes its second meanings.
   */
  readonly means: (identifier: string, call: Pick<PreparedCall, "entry">, how: "first" | "broadly") => boolean;
  /** All that do, of identifiers that are asked about again and again; absent where each has to be asked about. */
  readonly meantAmong?: (
    identifiers: readonly string[],
    call: Pick<PreparedCall, "entry">,
    how: "first" | "broadly",
  ) => readonly string[];
  /** Changes whenever a name may mean another tool. */
  readonly names: () => unknown;
  /** Changes whenever one of these does. */
  readonly revision: Revision;
}

/** What the rule book looks at; who would run the call is not part of it. */
export type RuledCall = Omit<PreparedCall, "source">;

/** The outcome of rules, mode and stored approvals, before anybody is asked. */
export interface Ruling {
  readonly decision: Decision;
  readonly subject: CallSubject;
  readonly mode: Sourced<Mode>;
  /** The call changes nothing, according to its tool or its command line. */
  readonly readOnly: boolean;
  /** The narrowest rules that would allow it; computed when somebody is asked. */
  readonly narrowest: (call: RuledCall) => readonly string[];
  /**
   * The key of an approval for exactly this call: its arguments, and where their paths lead if there are links on the
   * way.
   */
  readonly exactly: (call: RuledCall) => unknown;
  /** The approval that was stored for exactly that; null if there is none. */
  readonly bound: (call: RuledCall) => Decision | null;
  /**
   * What the call may use once it is allowed: the targets of its paths when this was judged, and the rules for the
   * rest.
   */
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
    // `dont-ask` is applied where questions are asked, so that grants for exact arguments count first.
    mode: mode.value === "dont-ask" ? "default" : mode.value,
    allowReadOnly: true,
  };
}

export function toJudged(
  prepared: RuledCall,
  { subject }: CallSubject,
  { means, meantAmong }: RuleSetting,
  how: "first" | "broadly" = "first",
): RuledCallSubject {
  return {
    toolName: prepared.call.toolName,
    isMeantBy: (identifier) => means(identifier, prepared, how),
    ...(meantAmong === undefined
      ? {}
      : { meantAmong: (identifiers: readonly string[]) => meantAmong(identifiers, prepared, how) }),
    subject,
    arguments: prepared.args,
    readOnly: prepared.tool.traits.readOnly,
    ...(prepared.tool === CODE_TOOL ? { isJudgedInside: true } : {}),
  };
}
