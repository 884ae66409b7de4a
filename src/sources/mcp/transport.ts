import type { Transport } from "@modelcontextprotocol/client";
import type { Supervised } from "../parts/supervisor.ts";
import type { Channel } from "./channel.ts";

/** A transport that has framed, capped and filtered what it passes on, and that says why it ended. */
export interface McpTransport extends Transport, Supervised {
  readonly channel: Channel;
}
