import type { Config } from "../../../config/config.ts";
import type { Flags } from "../../../config/layers/read-layers.ts";
import type { Caller } from "../../../core/people/person.ts";
import type { AuditDesk, BodyReader } from "../../../runtime/audit/audit-desk.ts";
import type { AuditCall, AuditNote, AuditRow } from "../../../runtime/audit/audit-row.ts";
import type { Redactor } from "../../../runtime/audit/redact-value.ts";
import type { Crib } from "../../../runtime/crib/crib.ts";
import type { QuestionDesk } from "../../../runtime/crib/question-desk.ts";
import type { PersonRow } from "../../../runtime/people/contract.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { WrittenRequests } from "../../../system/written-requests.ts";
import { HttpRefusal } from "./answers.ts";
import type { ChangeView, ClientView, ConnectLines, RunSetup, SwitchView, TrialView, WantedRun } from "./api.ts";
import type { EventFeed } from "./event-feed.ts";

/** The clients of the gateway; a gateway fits this interface. */
export interface FrontClients {
  readonly clients: readonly (Omit<ClientView, "id" | "gets" | "machine"> & {
    readonly sessionId: string;
    readonly isHere: boolean;
  })[];
  /** Clients of other machines, as far as known. */
  elsewhere(): Promise<readonly Omit<ClientView, "gets">[]>;
  /** Calls back when clients come, go or call. */
  changes(listener: () => void): () => void;
}

/** What the inspector shows and others own. */
export interface InspectorPorts {
  readonly crib: Pick<Crib, "config" | "main" | "views" | "sources" | "approvals" | "changes" | "refused"> &
    Partial<Pick<Crib, "limits">>;
  readonly front: FrontClients;
  readonly feed: EventFeed;
  /** Removes secrets. */
  readonly redactor: () => Redactor;
  /** What a person can do here; if absent, sessions of an app are shown, which only the app can change. */
  readonly own?: OwnPorts;
  /** Calls that clients run themselves, after their hooks asked about them; none if absent. */
  readonly judged?: JudgedRows;
  /** Questions of sessions, other than approvals; none if absent. */
  readonly questions?: QuestionDesk;
  /** The requests that a model wrote for tools; none if absent. */
  readonly written?: () => Promise<WrittenRequests>;
  /** Removes those of these definitions. */
  readonly unwrite?: (signatures: readonly string[]) => Promise<void>;
  /** Starts and stops agents; if absent, only agents that others start are shown. */
  readonly runs?: RunDesk;
  /** A row of the log about what a person did here; nowhere if absent. */
  readonly note?: (note: AuditNote) => void;
  readonly version: string;
  readonly workspace: string | null;
  readonly onError: (text: string, error: unknown) => void;
}

/** Calls back with each of these rows of the log. Returns how to stop. */
export type JudgedRows = (listener: (row: AuditRow & AuditCall) => void) => () => void;

/** A policy that somebody tries on the log. */
export interface LogTrial {
  readonly policy: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reader: BodyReader;
}

/** What belongs to the one Toolcrib of a workspace. */
export interface OwnPorts {
  /** The configuration with these flags added. Managed policy overrides them. */
  readonly configWith: (flags: Flags) => Promise<Config>;
  readonly definitions: DefinitionChanges;
  /** Tries a policy on the log since then; nothing is changed. */
  readonly rehearse: (wanted: LogTrial, signal: AbortSignal) => Promise<TrialView>;
  readonly switches: Switches;
  readonly waiting: WaitingServers;
  /** Opens the store of the workspace's sessions, for as long as the work takes. */
  readonly sessions: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
  /** Everybody who has come in; absent where nobody logs in. */
  readonly people?: () => Promise<readonly PersonRow[]>;
  /** The log of all machines; absent or null where it is a file of this one. */
  readonly log?: AuditDesk | null;
  /** Where MCP clients connect; called once that is known. */
  readonly endpoint: () => string;
  /** What puts it in front of clients without a token; null if each needs one. */
  readonly connect: () => readonly ConnectLines[] | null;
}

/** What a person can do; refused if only an app is watched. */
export function ownOf({ own }: Pick<InspectorPorts, "own">): OwnPorts {
  if (own !== undefined) return own;
  throw new HttpRefusal(404, "http.not-found", "an app is shown here, which alone changes and answers anything");
}

/** Runs of agents in this process that a person starts, sends messages to and stops. */
export interface RunDesk {
  setup(): Promise<RunSetup>;
  /** The id of its session. Throws what prevents it. Its calls are those of the person who starts it, if one is known. */
  start(wanted: WantedRun, caller: Caller | null): Promise<string>;
  /** Sends another message; false if no such session is open here. */
  say(id: string, prompt: string): boolean;
  /** Ends the current run of a session, or one agent that works for it; false if none is open here. */
  stop(id: string, agent: string | null): Promise<boolean>;
  isOpen(id: string): boolean;
}

/** Turns tools and servers on and off in the person's own file of this workspace. */
export interface Switches {
  /** Throws `config.elsewhere` if it is switched off in another file. */
  turn(kind: "tool" | "server", name: string, isOn: boolean): Promise<SwitchView>;
}

/** Servers that start only once a person agrees. */
export interface WaitingServers {
  list(): Promise<readonly WaitingServer[]>;
  /** Agrees to one as it was listed under that id; false if it is not like that any more. */
  start(name: string, id: string): Promise<boolean>;
}

export interface WaitingServer {
  readonly name: string;
  readonly id: string;
  /** File and line. */
  readonly from: string;
  /** Why it waits, as a clause. */
  readonly reason: string;
  /** All of its entry. */
  readonly shows: readonly { readonly path: string; readonly value: string }[];
}

/** Definitions that differ from what was approved. */
interface DefinitionChanges {
  list(signal: AbortSignal): Promise<readonly Omit<ChangeView, "isOff">[]>;
  /** Pins everything as it is now. False if there is a lock file already. */
  pinAll(signal: AbortSignal): Promise<boolean>;
  /** False if there is no such change, or no longer. */
  approve(id: string, signal: AbortSignal): Promise<boolean>;
  changes(listener: () => void): () => void;
}
