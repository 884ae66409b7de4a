import type { Json } from "./wire-values.ts";

/** An event as clients get it. */
export interface CopilotEvent {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly type: string;
  readonly data: Json;
  readonly ephemeral?: true;
  readonly agentId?: string;
}
