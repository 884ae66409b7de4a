import type { ModelCarrier } from "../../../runtime/models/http-model.ts";
import type { Store } from "../../../runtime/store/store.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { HiddenValues } from "../../../system/text/hidden-values.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import type { Json } from "../wire/wire-values.ts";
import type { Onlooker } from "./onlooker.ts";
import type { Telemetry } from "./telemetry.ts";

/** What all clients of this process share, whatever sessions there are. */
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
  /** For the operator of the runtime; a warning where no level is given. */
  readonly note: (text: string, level?: "error" | "warning" | "debug") => void;
  /** Milliseconds after which a session that nobody uses ends; null: never. */
  readonly idleTimeout: number | null;
  /** Values that clients want nobody to see. */
  readonly secrets: HiddenValues;
  readonly onlooker: Onlooker | null;
  /** Null: no app wants its turns traced. */
  readonly telemetry: Telemetry | null;
  /** Those that have shown the token, where there is one. */
  readonly connections: Set<ClientConnection>;
  /** Opened with the first session. */
  store(): Promise<Store>;
  /** Sends requests to models where no client carries them. */
  readonly carrier: ModelCarrier;
  /** Carries requests to models in place of the network. */
  inference: ClientConnection | null;
  /** Requests to models that a client carries, until they end. */
  readonly exchanges: Map<string, CarriedRequest>;
  /** How each model of the configured address is asked; null before somebody asked for it. */
  endpoints: Promise<ReadonlyMap<string, readonly string[]>> | null;
  /** Stores what sessions write in place of this machine. */
  files: { readonly connection: ClientConnection; readonly setting: Json } | null;
  /** Skills that are off in every session. */
  disabledSkills: ReadonlySet<string>;
  /** Approvals of this process by place; a session has them once it adds or applies them. */
  readonly approvals: Map<string, Json[]>;
  isOver: boolean;
  /** Aborted once all sessions have ended: anything asked after that is refused. */
  readonly over: AbortSignal;
  /** Ends all sessions. Clients stay connected, so that what they ask from now on is refused, not left unanswered. */
  end(): Promise<void>;
}

/** A request to a model that a client carries, and what has come back so far. */
export interface CarriedRequest {
  /** Who carries it; nobody else can answer. */
  readonly carrier: ClientConnection;
  start(status: number, headers: Headers): void;
  chunk(bytes: Uint8Array): void;
  end(problem: string | null): void;
}
