import type { Surroundings } from "../../runtime/session/surroundings.ts";
import type { Store } from "../../runtime/store/store.ts";
import type { Connection } from "./connection.ts";
import type { Live } from "./live.ts";
import type { Json } from "./wire-values.ts";

/** What all clients of this process share. */
export interface Server {
  readonly around: Surroundings;
  readonly version: string;
  /** The folder of all that outlives the process. */
  readonly home: string;
  readonly approvesAll: boolean;
  /** The token that clients over TCP have to show; null: none. */
  readonly token: string | null;
  /** The token of the person behind the client. */
  readonly gitHubToken: string | null;
  readonly note: (text: string) => void;
  readonly connections: Set<Connection>;
  readonly live: Map<string, Live>;
  /** Opened with the first session. */
  store(): Promise<Store>;
  /** Carries requests to models in place of the network. */
  inference: Connection | null;
  /** Keeps what sessions write in place of this machine. */
  files: { readonly connection: Connection; readonly setting: Json } | null;
  isOver: boolean;
  end(): void;
}
