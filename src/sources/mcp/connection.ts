import type { Supervised } from "../parts/supervisor.ts";
import type { Era } from "../peer.ts";
import type { ListedEntry } from "./list-tools.ts";
import type { Pending, RequestOptions } from "./requests.ts";

type Params = Readonly<Record<string, unknown>>;

/** An open conversation with one server. Requests reject with a ToolcribError when the server cannot be reached. */
export interface Connection extends Supervised {
  /** The server's configured name. */
  readonly server: string;
  readonly era: Era;
  /** A remote server of the newer protocol wants some parameters in headers as well. */
  readonly wantsHeaders: boolean;
  readonly instructions: string | null;
  readonly capabilities: Params;
  readonly serverInfo: Params;
  listTools(signal: AbortSignal): Promise<readonly ListedEntry[]>;
  send(method: string, params: Params, options: RequestOptions): Pending;
  notify(method: string, params: Params): void;
  /** Updates the newer protocol's stream of changes to what is wanted now; resolves once the server agreed. */
  resubscribe(signal: AbortSignal): Promise<void>;
}
