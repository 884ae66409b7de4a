import type { Eventual } from "../../../core/call/eventual.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { Confinement } from "../../../core/rules/paths.ts";
import type { Logger } from "../../../system/logger.ts";
import type { Timing } from "../../../system/surroundings.ts";
import type { ExecutorLimits } from "../../executor/executor-limits.ts";
import type { Keyring } from "../../executor/keyring.ts";
import type { SessionHooks } from "../../hooks/hook-types.ts";
import type { ModelPlace } from "../../models/find-model.ts";
import type { StoredQuestions } from "../../permissions/asking.ts";
import type { Classifier, ClassifierStage } from "../../permissions/classifier.ts";
import type { GrantStore } from "../../permissions/grant-store.ts";
import type { PermissionHandler } from "../../permissions/permission-request.ts";
import type { SourcePlace } from "../sources/configured-sources.ts";
import type { StoredSetting } from "../stored/kept-session.ts";

/** The same object each time, so that nobody prepares it anew for every call. */
export const NO_HOOKS: SessionHooks = {};

/** Who is asked about calls and what surrounds them. */
export interface CallSetting {
  readonly home: string;
  /** Null: relative paths start in the current folder, and nothing is kept for a project. */
  readonly workspace: string | null;
  /** Asked anew for each question, so that it can be replaced. */
  readonly onPermissionRequest: () => PermissionHandler | null;
  readonly hooks: () => SessionHooks;
  readonly classifier: () => Classifier | null;
  /** Answers what no rule and no classifier decides, in place of people; nobody does if absent. */
  readonly standsIn?: () => ClassifierStage | null;
  /** Further providers of models, for the classifier that a setting names. */
  readonly models?: () => Pick<ModelPlace, "providers" | "fetch">;
  /** Somebody is shown plans while `exit_plan_mode` runs; absent: nobody, and the permission request is about the plan. */
  readonly plansAreShown?: () => boolean;
  readonly limits: Partial<ExecutorLimits>;
  /** Approvals that are kept; read from this person's files if absent. */
  readonly grants?: () => Promise<GrantStore>;
  /** A subagent's session: its start and end are those of its run, and no session's. */
  readonly isSubagent?: boolean;
  /** The subagent's id, for hooks. */
  readonly agentId?: string;
  /** Files that calls of the whole tree of agents have in use; those of this session alone if absent. */
  readonly keyring?: Keyring;
  /** Questions wait for no other one; one after the other if absent. */
  readonly asksAtOnce?: boolean;
  /** Hooks see a call before its tool is looked up; afterwards if absent. */
  readonly hooksFirst?: boolean;
  /** Keeps a result that is too long for a model and says what that reads instead; our own way if absent. */
  readonly storeLong?: (text: string) => Promise<string>;
  /** Who decides about calls may make some meanwhile. To follow that makes every promise of the process dearer. */
  readonly mayCall?: boolean;
  /** Asked before each call runs, once everybody heard that it will; what it gives is the result in place of running it. */
  readonly beforeRun?: (() => Promise<ToolResult | null> | null) | undefined;
  /** The sandbox in which our own tools run commands, as it is now; null or absent without one. */
  readonly confinement?: () => Eventual<Confinement | null>;
}

/** What calls need of the session around them. */
export interface SessionCallSetting extends StoredSetting {
  readonly id: string;
  readonly timing: Timing;
  readonly place: SourcePlace;
  readonly logger: Logger;
  /** Absent: nobody is asked, and there are no hooks but configured ones. */
  readonly calls?: CallSetting;
  /** Where what waits for somebody is stored; absent: nowhere. */
  readonly questions?: StoredQuestions | undefined;
}
