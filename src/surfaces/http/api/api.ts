/**
 * What the inspector's page and other programs get from `/api`. Types only: browser code shares this file.
 * Every answer is the JSON that the matching command prints with `--json`, where there is one.
 *
 * GET  /api/overview                     Overview
 * GET  /api/choices                      Choices: what a what-if can be asked for
 * GET  /api/toolset?SCENE                ToolsetView (like `list --json`, with every gate's verdict)
 * GET  /api/what-if?SCENE                WhatIf: the toolset of that scene and what differs from now
 * GET  /api/why/NAME?SCENE               WhyView, like `why --json`
 * GET  /api/search?q=QUERY&SCENE         SearchView, like `search --json`, with scores
 * GET  /api/usage                        UsageView: calls since the start, by server and by tool
 * POST /api/try/NAME                     body {"arguments": {…}}; TryView: the decision and the result of one call
 * POST /api/tools/NAME/STATE             STATE is on or off; SwitchView: the line that turns the tool off, written or taken back
 * GET  /api/servers                      ServerView[]
 * POST /api/servers/NAME/restart         204
 * POST /api/servers/NAME/start           body {"id": ID}: agrees to what ServerView.waits shows; 204, or 404 when that has changed
 * POST /api/servers/NAME/STATE           the same for a server
 * GET  /api/limits                       LimitView[]: what callers may use, and how often that refused a call on this machine
 * GET  /api/calls                        CallView[], newest first
 * GET  /api/approvals                    ApprovalView[]
 * POST /api/approvals/ID                 body ApprovalAnswer; 204, 404 when it was answered meanwhile, 410 when nobody can receive it
 * GET  /api/changes                      ChangeView[]: definitions that differ from what was approved
 * POST /api/changes/ID/approve           204, or 404 when it has changed again meanwhile
 * POST /api/pins                         204: writes the first toolcrib.lock, with every definition as it is now
 * POST /api/rehearsals                   body WantedTrial; TrialView: calls of the log under a policy that nobody uses yet
 * GET  /api/sessions                SessionView[]
 * GET  /api/sessions/ID             SessionDetails
 * GET  /api/sessions/ID/toolset?at=SEQ PastToolset
 * GET  /api/sessions/ID/export?format=FORMAT SessionFile
 * GET  /api/runs                         RunView[]: agents at work in this process, newest first
 * GET  /api/runs/new                     RunSetup: what a new one would be like, or what is missing
 * GET  /api/runs/ID                      RunDetails
 * POST /api/runs                         body WantedRun; StartedRun
 * POST /api/runs/ID/say                  body {"prompt": TEXT}; 204
 * POST /api/runs/ID/stop                 all of it, or body {"agent": ID} for one; 204
 * GET  /api/questions                    QuestionView[]: what runs want to know, beside approvals
 * POST /api/questions/ID                 body QuestionAnswer; 204, or 404 when it was answered meanwhile
 * POST /api/requests/NAME/remove         204: forgets the requests that a model wrote for a tool
 * GET  /api/world?SCENE                  a world file, for download
 * GET  /api/events                       text/event-stream of PageEvent: which of the above to ask for again
 *
 * SCENE: agent, model, mode, include, exclude (comma separated), client (an id of Overview.clients), person (one of Choices.people).
 * All need `Authorization: Bearer TOKEN`. Anything but 2xx carries `ApiError`.
 */

export type { TrialChange, TrialOutcomes, TrialView, WantedTrial } from "./rehearsal-api.ts";
export type {
  ModelChoices,
  QuestionAnswer,
  QuestionView,
  RunAgent,
  RunCall,
  RunDetails,
  RunEntry,
  RunSetup,
  RunView,
  UsedView,
  WantedRun,
} from "./run-api.ts";
export type { SessionDetails, SessionEntry, SessionFile, SessionView } from "./session-api.ts";

export type ShownStanding = "visible" | "deferred" | "hidden";

export interface ReasonView {
  readonly gate: string;
  readonly verdict: "pass" | "defer" | "hide";
  readonly code: string | null;
  readonly text: string | null;
  readonly origin: string | null;
}

export interface NoticeView {
  readonly level: "info" | "warning" | "error";
  readonly code: string;
  readonly text: string;
  readonly names?: readonly string[];
}

interface NamedTool {
  readonly name: string;
  /** The name for people: `server/tool`. */
  readonly shown: string;
  readonly id: string;
  readonly source: string;
  readonly server: string | null;
  readonly description: string;
  readonly standing: ShownStanding;
}

export interface ToolView extends NamedTool {
  readonly title: string | null;
  readonly tokens: number;
  /** Every gate, in order, including those that pass. */
  readonly trace: readonly ReasonView[];
}

/** What callers may use, as `gateway.limits` or a profile says. */
export interface LimitView {
  /** In words, with its line. */
  readonly text: string;
  readonly measure: "calls" | "atOnce" | "tokens" | "money";
  /** Of money, millionths of a US dollar. */
  readonly most: number;
  readonly per: "minute" | "day" | "month" | null;
  readonly each: readonly string[];
  readonly profile: string | null;
  readonly soft: boolean;
  /** Since the start. */
  readonly refused: number;
  readonly passed: number;
}

export interface ToolsetView {
  readonly catalogHash: string;
  readonly gates: readonly string[];
  readonly tools: readonly ToolView[];
  readonly tokens: { readonly visible: number; readonly deferred: number; readonly hidden: number };
  /** How many tokens the scene's model reads at once. */
  readonly contextWindow: number;
  readonly notices: readonly NoticeView[];
}

export interface ChangedStanding {
  readonly name: string;
  readonly before: ShownStanding | null;
  readonly after: ShownStanding | null;
  /** The gates that caused it. */
  readonly gates: readonly string[];
}

export interface WhatIf {
  readonly toolset: ToolsetView;
  readonly changes: readonly ChangedStanding[];
}

/** One tool of `why`, with its definition. */
export interface WhyTool extends NamedTool {
  readonly title: string | null;
  readonly inputSchema: unknown;
  /** Requests by which search finds it: its own, those that ship for it, and those that a model wrote. */
  readonly requests: readonly {
    readonly text: string;
    readonly by: string;
    /** A model wrote it, so it can be removed. */
    readonly isWritten: boolean;
  }[];
  /** Every reason against it, with what to change. */
  readonly reasons: readonly (ReasonView & { readonly fix: string | null })[];
  /** Gates that pass. */
  readonly passed: readonly string[];
  /** One sentence: what to do to see it; null if it is visible. */
  readonly toSee: string | null;
}

export interface WhyView {
  readonly query: string;
  readonly tools: readonly WhyTool[];
}

export interface SearchHit extends NamedTool {
  /** Comparable only within one answer; null for tools that were asked for by name. */
  readonly score: number | null;
}

export interface SearchView {
  readonly query: string;
  /** Best first. */
  readonly tools: readonly SearchHit[];
  readonly total: number;
  readonly more: boolean;
  /** The exact text that the model would read. */
  readonly text: string;
}

export interface ApiError {
  readonly error: { readonly code: string; readonly text: string; readonly names?: readonly string[] };
}

export interface Choices {
  readonly agents: readonly string[];
  readonly models: readonly string[];
  readonly modes: readonly string[];
  readonly toolsets: readonly string[];
  readonly servers: readonly string[];
  /** Those who have come in, as SUBJECT@ISSUER. */
  readonly people: readonly string[];
}

export interface ClientView {
  readonly id: string;
  readonly label: string;
  readonly principal: string;
  /** Null if it speaks another protocol than MCP. */
  readonly era: "legacy" | "modern" | null;
  readonly agent: string | null;
  readonly since: number;
  readonly calls: number;
  /** The machine that it uses, if that is another one. */
  readonly machine: string | null;
  /** How many tools it gets, and which row of the table of clients says so; null if no table applies. */
  readonly gets: string | null;
}

/** Calls of one tool, of one server, or of all. */
export interface UsageRow {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** Denied or rejected: these never ran. */
  readonly refused: number;
  /** Milliseconds, of the newest calls; null if there are none. */
  readonly p50: number | null;
  readonly p95: number | null;
  /** Of all results, estimated. */
  readonly tokens: number;
}

export interface UsageView {
  readonly since: number;
  readonly total: UsageRow;
  /** Busiest first. */
  readonly servers: readonly UsageRow[];
  readonly tools: readonly UsageRow[];
}

/** The outcome of a call that a person made from the page. */
export interface TryView {
  readonly decision: CallView["decision"];
  readonly result: NonNullable<CallView["result"]>;
  readonly isCut: boolean;
  /** Images and other binary parts of the result. */
  readonly attachments: number;
  readonly duration: number;
}

/** What turning something on or off wrote. */
export interface SwitchView {
  readonly isOn: boolean;
  readonly file: string;
  /** Null if a line was removed. */
  readonly line: number | null;
  readonly text: string;
}

export interface Overview {
  readonly version: string;
  readonly workspace: string | null;
  /** What is wrong with the configuration as it is written now, so that the previous one stays; null while it is used. */
  readonly refused: string | null;
  /**
   * The sessions of a running app are shown; only the app changes and answers anything, and its clients are the
   * sessions.
   */
  readonly isApp: boolean;
  /** Where MCP clients connect; null if there is no gateway. */
  readonly endpoint: string | null;
  /** How clients start `toolcrib connect`, which needs no token; null if every client must show one. */
  readonly connect: readonly ConnectLines[] | null;
  readonly clients: readonly ClientView[];
  readonly agent: string | null;
  readonly model: string | null;
  readonly mode: string;
  /** The tools of the configuration, narrowed by no client; for an app, those of its newest session. */
  readonly tools: Readonly<Record<ShownStanding, { readonly count: number; readonly tokens: number }>>;
  /** How many tokens the scene's model reads at once. */
  readonly contextWindow: number;
  /** How many definitions are pinned; null while there is no lock file. */
  readonly pinned: number | null;
  /** How many third-party definitions can be pinned. */
  readonly pinnable: number;
}

/** What puts Toolcrib in front of one client. */
export interface ConnectLines {
  readonly client: string;
  /** A file, or "in a terminal". */
  readonly where: string;
  readonly text: string;
}

export interface ServerView {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly reason: string | null;
  readonly next: string | null;
  readonly era: "legacy" | "modern" | null;
  readonly tools: number;
  readonly stderr: string | null;
  /** Its entry: file and line. */
  readonly from: string | null;
  /** What it runs or where it is, as written, without secrets; all of its entry while it waits for a person. */
  readonly shows: readonly { readonly path: string; readonly value: string }[];
  /** Names exactly what is shown, for agreeing to it; null if it waits for nobody. */
  readonly waits: string | null;
  readonly canRestart: boolean;
  /** Whether it can be turned on and off here: it is a configured MCP server. */
  readonly canSwitch: boolean;
}

export interface CallView {
  readonly id: string;
  /** The call inside which it was made. */
  readonly parent?: string;
  /** The line of code that made it. */
  readonly line?: { readonly line: number; readonly text: string };
  readonly client: string;
  readonly session?: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly started: number;
  /** Null while it runs. With `session`, the client's own, it runs it itself, and only the decision is known here. */
  readonly duration: number | null;
  readonly state: string;
  readonly decision: {
    readonly decision: string;
    readonly code: string;
    readonly text: string;
    readonly origin: string | null;
  } | null;
  /** The note is for people, not for the model. */
  readonly result: { readonly type: string; readonly text: string; readonly note?: string } | null;
}

export interface ApprovalView {
  readonly id: string;
  readonly since: number;
  readonly client: string;
  /** The machine that it waits on; null for this one. */
  readonly machine: string | null;
  readonly tool: string;
  /** The server that would do it; null if none would. */
  readonly server: string | null;
  readonly kind: string;
  readonly description: string;
  readonly arguments: unknown;
  /** The session that makes the call. */
  readonly session: string;
  readonly parts: readonly string[];
  /** What would change in a file, line by line; absent if the call changes none, or in another way. */
  readonly diff?: ChangeView["diff"];
  readonly reason: string;
  /** The line of the model's code that makes the call. */
  readonly line?: string;
  /** What could be stored, the first unless somebody chooses another: a rule, or this very call if it is empty. */
  readonly suggestions: readonly { readonly rule: string; readonly text: string }[];
}

export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  readonly scope?: "once" | "session" | "project" | "user";
  readonly reason?: string;
}

export interface ChangeView {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly kind: "changed" | "new" | "quarantined" | "launch";
  readonly signals: readonly { readonly name: string; readonly text: string; readonly quote?: string }[];
  /** Unified, line by line: " " same, "-" was, "+" is. */
  readonly diff: readonly { readonly mark: " " | "-" | "+"; readonly text: string }[];
  /** Why `diff` is the whole new definition, if what was approved cannot be shown next to it. */
  readonly remark?: string | null;
  /** Somebody turned the tool or its server off, so nobody waits for an answer. */
  readonly isOff: boolean;
}

export interface PageEvent {
  readonly changed: "overview" | "toolset" | "servers" | "calls" | "approvals" | "changes" | "runs";
}

export interface StartedRun {
  readonly id: string;
}

/** The tools of the last request to a model up to some event. */
export interface PastToolset {
  readonly seq: number;
  readonly at: number;
  /** Since when all of it was so, in a sentence. */
  readonly told: string;
  readonly toolset: Omit<ToolsetView, "tools"> & { readonly tools: readonly PastToolView[] };
}

export interface PastToolView extends ToolView {
  /** What it was for the model then, as `why --session` says it. */
  readonly told: string;
}
