import type { Transport } from "@modelcontextprotocol/client";
import type { Supervised } from "../parts/supervisor.ts";
import type { SourceFault } from "../source.ts";
import type { Channel } from "./channel.ts";

/** A transport whose messages are framed, limited and filtered, and that says why it ended. */
export interface McpTransport extends Transport, Supervised {
  readonly channel: Channel;
  /** What the server sent that is no protocol; null if nothing. */
  readonly fault: SourceFault | null;
}
