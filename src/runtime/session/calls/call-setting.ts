import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { Host } from "../../../sources/host.ts";
import type { SessionAudit } from "../../audit/session-audit.ts";
import type { ExecutorLimits } from "../../executor/executor-limits.ts";
import type { Keyring } from "../../executor/keyring.ts";
import type { CallAllowance } from "../../executor/ports.ts";
import type { Validator } from "../../executor/validator.ts";
import type { SessionHooks } from "../../hooks/hook-types.ts";
import type { ModelPlace } from "../../models/find-model.ts";
import type { ModelClient } from "../../models/model.ts";
import type { Classifier, ClassifierStage } from "../../permissions/classifier.ts";
import type { GrantStore } from "../../permissions/grant-store.ts";
import type { PermissionHandler } from "../../permissions/permission-request.ts";
import type { SessionPlace } from "../sources/session-place.ts";
import type { SessionJournal } from "../stored/session-journal.ts";

/** Who decides about the calls of a session, and how they run. What is a function is asked each time: it may change. */
export interface CallSetting extends SessionPlace {
  /** Where the session is stored; absent: nowhere. */
  readonly journal?: SessionJournal | undefined;
  /** The agent that works for another one here; absent: it is the session's own. */
  readonly agentId?: string;
  /** Files that calls of the whole tree of agents have in use. */
  readonly keyring: Keyring;
  /** Schemas that sessions have compiled together; its own if absent. */
  readonly validator?: Validator;
  /** Nobody is asked if absent. */
  readonly onPermissionRequest?: () => PermissionHandler | null;
  /** What makes somebody one who may say yes to calls of that server now; nothing if absent. */
  readonly approvers?: ((server: string | null) => readonly string[]) | undefined;
  readonly hooks?: () => SessionHooks;
  readonly classifier?: () => Classifier | null;
  /** Answers what no rule and no classifier decides, in place of people; nobody does if absent. */
  readonly standsIn?: () => ClassifierStage | null;
  /** Further providers of models, for the classifier that a setting names. */
  readonly models?: () => Pick<ModelPlace, "providers" | "fetch">;
  /** Shown plans while `exit_plan_mode` runs; absent: the permission request is about the plan. */
  readonly approvePlan?: Host["approvePlan"] | undefined;
  readonly limits?: Partial<ExecutorLimits>;
  /** Approvals that are stored; read from this person's files if absent. */
  readonly grants?: () => Promise<GrantStore>;
  /** Questions do not wait for each other; one after the other if absent. */
  readonly asksAtOnce?: boolean;
  /** Hooks see a call before its tool is looked up, also one of a tool that is not there; afterwards if absent. */
  readonly hooksFirst?: boolean;
  /** Stores a result that is too long for a model, and returns what the model reads instead; our own way if absent. */
  readonly storeLong?: (text: string) => Promise<string>;
  /** Hooks, handlers and classifiers may make calls themselves. To follow that slows every promise of the process. */
  readonly mayCall?: boolean;
  /** The log of its calls, closed with it; absent: somebody else keeps one, or nobody does. */
  readonly audit?: SessionAudit | undefined;
  /** Asked before each call runs, unless the log of calls is; a result that it returns takes the place of running it. */
  readonly beforeRun?: (() => Promise<ToolResult | null> | null) | undefined;
  /** How much the caller may use; null while nothing limits it, and absent if nothing ever does. */
  readonly allowance?: (() => CallAllowance | null) | undefined;
  /** The model for the caller, where what it costs may be limited; as it is if absent. */
  readonly limitModel?: ((model: ModelClient) => Promise<ModelClient>) | undefined;
}
