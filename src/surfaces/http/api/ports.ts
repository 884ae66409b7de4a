import type { Config } from "../../../config/config.ts";
import type { Flags } from "../../../config/layers/read-layers.ts";
import type { Redactor } from "../../../runtime/audit/redact-value.ts";
import type { Crib } from "../../../runtime/crib/crib.ts";
import type { QuestionDesk } from "../../../runtime/crib/question-desk.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { WrittenRequests } from "../../../system/written-requests.ts";
import { HttpRefusal } from "./answers.ts";
import type { ChangeView, ClientView, ConnectLines, RunSetup, SwitchView, WantedRun } from "./api.ts";
import type { EventFeed } from "./event-feed.ts";

/** The clients of the gateway; a gateway fits. */
export interface FrontClients {
  readonly clients: readonly (Omit<ClientView, "id" | "gets" | "machine"> & {
    readonly sessionId: string;
    readonly isHere: boolean;
  })[];
  /** Those of other machines, as far as is known now. */
  elsewhere(): Promise<readonly Omit<ClientView, "gets">[]>;
  /** Calls back when clients come, go or call. */
  changes(listener: () => void): () => void;
}

/** What the inspector shows and others own. */
export interface InspectorPorts {
  readonly crib: Pick<Crib, "config" | "main" | "views" | "sources" | "approvals" | "changes">;
  readonly front: FrontClients;
  readonly feed: EventFeed;
  /** Takes out what is secret. */
  readonly redactor: () => Redactor;
  /** What a person can do here; where it is absent, sessions of an app are shown, which that alone changes. */
  readonly own?: OwnPorts;
  /** What sessions want to know, beside approvals; nothing if absent. */
  readonly questions?: QuestionDesk;
  /** The requests that a model wrote for tools, as they are now; none if absent. */
  readonly written?: () => Promise<WrittenRequests>;
  /** Forgets those of these definitions. */
  readonly unwrite?: (signatures: readonly string[]) => Promise<void>;
  /** Starts agents and stops them; where it is absent, those that others start are shown alone. */
  readonly runs?: RunDesk;
  readonly version: string;
  readonly workspace: string | null;
  readonly onError: (text: string, error: unknown) => void;
}

/** What belongs to the one Toolcrib of a workspace. */
export interface OwnPorts {
  /** The configuration as it would be with these flags on top. Managed policy counts above them. */
  readonly configWith: (flags: Flags) => Promise<Config>;
  readonly definitions: DefinitionChanges;
  readonly switches: Switches;
  /** Opens the store that sessions of the workspace are kept in, for as long as the work takes. */
  readonly sessions: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
  /** Where MCP clients connect; asked for when it is known. */
  readonly endpoint: () => string;
  /** What puts it in front of clients that show no token; null where each has to. */
  readonly connect: () => readonly ConnectLines[] | null;
}

/** What a person can do; refused where only an app is watched. */
export function ownOf({ own }: Pick<InspectorPorts, "own">): OwnPorts {
  if (own !== undefined) return own;
  throw new HttpRefusal(404, "http.not-found", "an app is shown here, which alone changes and answers anything");
}

/** Runs of agents in this process that a person starts, talks to and stops. */
export interface RunDesk {
  setup(): Promise<RunSetup>;
  /** The id of its session. Throws what stands in the way. */
  start(wanted: WantedRun): Promise<string>;
  /** Says something more; false where no such session is open here. */
  say(id: string, prompt: string): boolean;
  /** Ends the run that goes on in a session, or one agent that works for it; false where no such one is open here. */
  stop(id: string, agent: string | null): Promise<boolean>;
  isOpen(id: string): boolean;
}

/** Turns tools and servers on and off in the person's own file of this workspace. */
export interface Switches {
  /** Throws `config.elsewhere` where what holds it back is written in another file. */
  turn(kind: "tool" | "server", name: string, isOn: boolean): Promise<SwitchView>;
}

/** Definitions that differ from what was approved. */
interface DefinitionChanges {
  list(signal: AbortSignal): Promise<readonly Omit<ChangeView, "isOff">[]>;
  /** Pins everything as it is now. False when there is a lock file already. */
  pinAll(signal: AbortSignal): Promise<boolean>;
  /** False when there is no such change (any more). */
  approve(id: string, signal: AbortSignal): Promise<boolean>;
  changes(listener: () => void): () => void;
}
