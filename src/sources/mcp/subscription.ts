import type { Client, McpSubscription } from "@modelcontextprotocol/client";
import { backoffDelay } from "./backoff.ts";
import type { Clock, Timer } from "./clock.ts";
import type { McpLimits } from "./limits.ts";

interface SubscriptionOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly onListChanged: () => void;
}

/** The package's own time-outs are left unused: time belongs to the injected clock. This is the longest timer there is. */
export const NEVER = 2 ** 31 - 1;

/** The newer protocol tells of changes on a stream that has to be asked for, and asked for again when it ends. */
export function keepSubscribed(client: Client, { clock, limits, onListChanged }: SubscriptionOptions): () => void {
  let stopped = false;
  let timer: Timer | null = null;
  let subscription: McpSubscription | null = null;
  let failures = 0;
  const again = (missed: boolean) => {
    if (stopped) return;
    timer = clock.setTimeout(() => void listen(missed), Math.max(1_000, backoffDelay(failures, 0, limits)));
    failures += 1;
  };
  const listen = async (missed: boolean): Promise<void> => {
    timer = null;
    try {
      subscription = await client.listen({ toolsListChanged: true }, { timeout: NEVER });
    } catch {
      return again(missed);
    }
    failures = 0;
    if (missed) onListChanged();
    if ((await subscription.closed) !== "local") again(true);
  };
  void listen(false);
  return () => {
    stopped = true;
    if (timer !== null) clock.clearTimeout(timer);
    void subscription?.close().catch(() => {});
  };
}
