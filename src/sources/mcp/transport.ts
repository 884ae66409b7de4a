import type { Transport } from "@modelcontextprotocol/client";
import type { Channel } from "./channel.ts";

/** Why a connection is no longer there. */
export interface Loss {
  /** Continues "the server …", such as "exited with code 1"; null when it was closed from this side. */
  readonly reason: string | null;
}

/** A transport that has framed, capped and filtered what it passes on, and that says why it ended. */
export interface McpTransport extends Transport {
  readonly lost: Promise<Loss>;
  /** The last lines on the error stream of a process. */
  readStderr(): string | null;
  /** HTTP status of a refusal to talk without proof of who asks: 401 or 403. */
  readonly refusal: number | null;
  readonly channel: Channel;
}
