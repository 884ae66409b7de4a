import type { Config } from "../../../config/config.ts";
import type { SurfaceSession } from "../../../runtime/session/program-session.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { HiddenValues } from "../../../system/text/hidden-values.ts";
import type { LogNotes } from "../events/event-log.ts";
import type { RequestParts } from "../models/request-size.ts";
import type { ClientConnection } from "../wire/connection.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import type { EventType } from "../wire/event-fields.ts";
import type { Json } from "../wire/wire-values.ts";
import type { Onlooker } from "./onlooker.ts";

/** What all clients of this process share. */
export interface RuntimeState {
  readonly around: Surroundings;
  readonly version: string;
  /** The folder of all that outlives the process. */
  readonly home: string;
  readonly approvesAll: boolean;
  /** The token that clients over TCP have to show; null: none. */
  readonly token: string | null;
  /** The token of the person behind the client. */
  readonly gitHubToken: string | null;
  /** For whoever looks after the runtime; a warning if it is not said what it is. */
  readonly note: (text: string, level?: "error" | "warning" | "debug") => void;
  /** Milliseconds after which a session that nobody uses ends; null: never. */
  readonly idleTimeout: number | null;
  /** What clients want to be seen by nobody. */
  readonly secrets: HiddenValues;
  readonly onlooker: Onlooker | null;
  /** Those that have shown the token, where there is one. */
  readonly connections: Set<ClientConnection>;
  readonly live: Map<string, Live>;
  /** Opened with the first session. */
  store(): Promise<Store>;
  /** Carries requests to models in place of the network. */
  inference: ClientConnection | null;
  /** Keeps what sessions write in place of this machine. */
  files: { readonly connection: ClientConnection; readonly setting: Json } | null;
  /** Skills that are off wherever they are looked for. */
  disabledSkills: ReadonlySet<string>;
  isOver: boolean;
  /** Aborted once all sessions have ended: whatever is asked still is refused. */
  readonly over: AbortSignal;
  /** Ends all sessions. Clients stay connected, so that whatever they ask from now on is refused, not left unanswered. */
  end(): Promise<void>;
}

/** What one connection brings to a session. */
export interface AttachedClient {
  readonly connection: ClientConnection;
  tools: readonly Json[];
  commands: readonly Json[];
  hooks: boolean;
  userInput: boolean;
  elicitation: boolean;
  exitPlan: boolean;
  autoSwitch: boolean;
  /** Keeps skills of its own. */
  skills: boolean;
  /** Has a handler that says what may run. */
  decides: boolean;
  /** Hears of permission requests. */
  permissions: boolean;
}

/** A message that waits for its turn. */
export interface Queued {
  readonly messageId: string;
  readonly params: Json;
  /** A command in place of a message. */
  readonly command?: { readonly requestId: string; readonly command: string };
}

/** Something that a client has to answer. */
export interface OpenQuestion {
  readonly kind: "permission" | "elicitation" | "command" | "oauth";
  readonly asked: Json;
  readonly answer: (result: Json) => void;
}

/** A call whose tool a client runs. */
interface ClientCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
}

/** What the requests to one model came to. */
export interface ModelUsage {
  readonly requests: number;
  readonly cost: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** A session that clients are attached to, or that still waits for an answer of theirs. */
export interface Live {
  readonly id: string;
  readonly server: RuntimeState;
  /** Toolcrib's own; another one once it was opened anew. */
  session: SurfaceSession;
  /** The options as clients gave them, the later over the earlier. */
  wire: Json;
  /** What the files of its working directory and of the person say, as it was opened. */
  project: Config | null;
  readonly clients: Map<ClientConnection, AttachedClient>;
  /** Tools whose client left while the session went on; told once. */
  readonly goneTools: Set<string>;
  /** All that is kept, oldest first. */
  readonly log: CopilotEvent[];
  readonly notes: LogNotes;
  /** All that happened lately, kept or passing, with a running number. */
  readonly ring: { readonly at: number; readonly event: CopilotEvent }[];
  heard: number;
  /** Where kept events stand in the journal. */
  readonly places: Map<string, number>;
  readonly questions: Map<string, OpenQuestion>;
  readonly calls: Map<string, ClientCall>;
  readonly queue: Queued[];
  running: boolean;
  /** Waits until nothing runs. */
  idle: Promise<void>;
  /** Aborted by a client since the run began. */
  aborted: boolean;
  readonly background: Set<string>;
  model: string | undefined;
  effort: string | undefined;
  mode: string;
  name: string | null;
  nameIsOwn: boolean;
  approvesAll: boolean;
  /** Nobody is asked about addresses. */
  fetchesFreely: boolean;
  readonly approvals: Set<string>;
  /** What a client has denied, whatever is approved. */
  denials: ReadonlySet<string>;
  agent: string | null;
  cwd: string;
  readonly startTime: number;
  /** The servers are started with the first list or message, not before. */
  serversStarted: boolean;
  isStarted: boolean;
  hasTurn: boolean;
  isSaved: boolean;
  closing: Promise<void> | null;
  /** What the model was last sent; null before that. */
  size: RequestParts | null;
  turns: number;
  readonly usage: {
    readonly models: Map<string, ModelUsage>;
    last: { readonly input: number; readonly output: number };
    /** Milliseconds that models took to answer. */
    apiTime: number;
  };
  /** System text sections as clients transformed them for this run. */
  sections: ReadonlyMap<string, string>;
  /** What is being written to the client's files. */
  written: Promise<void>;
  /** The message that the run answers. */
  current: string | null;
  /** Facts of this or that method which nothing else needs. */
  readonly facts: Map<string, unknown>;
}

/** Tells all clients of something, in order with what else happens. */
export function tell(
  live: Live,
  type: EventType,
  data: Json,
  options: { ephemeral?: boolean; agent?: string } = {},
): void {
  live.session.note(type, data, options);
}

export function tellPassing(live: Live, type: EventType, data: Json): void {
  tell(live, type, data, { ephemeral: true });
}

/** Nothing runs and nothing waits; agents that still work for the session will go on with it. */
export function tellIdle(live: Live): void {
  if (live.running || live.background.size > 0) return;
  tellPassing(live, "session.idle", live.aborted ? { aborted: true } : {});
}

/** The session that a request names. */
export function findLive(server: RuntimeState, params: Json): Live {
  const live = server.live.get(String(params.sessionId));
  if (live === undefined || live.closing !== null) throw notFound(params);
  return live;
}

export function notFound({ sessionId }: Json): Error {
  return new Error(`Session not found: ${String(sessionId)}`);
}

/** What was said into a run and the model has not read yet, by the id of its message. */
export function steeringOf({ facts }: Live): Map<string, string> {
  const steering = (facts.get("steering") ?? new Map()) as Map<string, string>;
  facts.set("steering", steering);
  return steering;
}
