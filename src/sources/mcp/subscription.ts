import type { Client, McpSubscription } from "@modelcontextprotocol/client";
import { backoffDelay } from "../../system/time/backoff.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import type { McpLimits } from "./limits.ts";

/** The changes that a server of the newer protocol is asked to report. */
export type Wanted = Parameters<Client["listen"]>[0];

interface SubscriptionOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly wanted: () => Wanted;
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void;
}

export interface Subscription {
  /** Subscribes again to what is wanted now; resolves once the server agreed. */
  renew(signal: AbortSignal): Promise<void>;
  stop(): void;
}

/** Disables the package's own time-outs: time belongs to the injected clock. This is the longest possible timer. */
export const NEVER = 2 ** 31 - 1;

const CHANGES = [
  ["toolsListChanged", "notifications/tools/list_changed"],
  ["promptsListChanged", "notifications/prompts/list_changed"],
  ["resourcesListChanged", "notifications/resources/list_changed"],
] as const;

/** The newer protocol reports changes on a stream that must be requested, and requested again when it ends. */
export function keepSubscribed(client: Client, options: SubscriptionOptions): Subscription {
  const { clock, limits, wanted, onNotification } = options;
  let stopped = false;
  let timer: Timer | null = null;
  let subscription: McpSubscription | null = null;
  let failures = 0;
  const again = (missed: boolean) => {
    if (stopped) return;
    if (timer !== null) clock.clearTimeout(timer);
    timer = clock.setTimeout(
      () => void listen(missed).catch(() => {}),
      Math.max(1_000, backoffDelay(failures, 0, limits)),
    );
    failures += 1;
  };
  /** Anything may have changed while there was no stream, so a change is reported. */
  const reportMissed = (filter: Wanted) => {
    for (const [key, method] of CHANGES) if (filter[key] === true) onNotification(method, {});
    for (const uri of filter.resourceSubscriptions ?? []) onNotification("notifications/resources/updated", { uri });
  };
  const listen = async (missed: boolean): Promise<void> => {
    timer = null;
    const filter = wanted();
    if (Object.keys(filter).length === 0) {
      void subscription?.close().catch(() => {});
      subscription = null;
      return;
    }
    let opened: McpSubscription;
    try {
      opened = await client.listen(filter, { timeout: NEVER });
    } catch (error) {
      again(missed);
      throw error;
    }
    failures = 0;
    // The new stream is open before the old one ends, so that no change is missed.
    const previous = subscription;
    subscription = opened;
    void previous?.close().catch(() => {});
    if (stopped) void opened.close().catch(() => {});
    if (missed) reportMissed(filter);
    void opened.closed.then((cause) => {
      if (cause !== "local" && subscription === opened) again(true);
    });
  };
  void listen(false).catch(() => {});
  return {
    async renew(signal) {
      if (timer !== null) clock.clearTimeout(timer);
      // The stream outlives the caller that needed it, so the caller's signal only ends the waiting.
      await untilAborted(listen(false), signal);
    },
    stop() {
      stopped = true;
      if (timer !== null) clock.clearTimeout(timer);
      void subscription?.close().catch(() => {});
    },
  };
}
