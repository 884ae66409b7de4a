import type { PeerClient } from "../peer.ts";

/** Reports a run of code to its client. */
export interface Steps {
  report(message: string): void;
  /** The client for one call of the code; absent if the run has no client. */
  clientOf(call: string): PeerClient | undefined;
}

const PROGRESS = "notifications/progress";

/**
 * A client knows only the request of the code: each call in it, and each step of a call, is one more step of that
 * request.
 */
export function reportSteps(client: PeerClient | undefined): Steps {
  if (client === undefined) return { report: () => {}, clientOf: () => undefined };
  let steps = 0;
  const report = (message: string): void => {
    steps += 1;
    client.notify(PROGRESS, { progress: steps, message });
  };
  return {
    report,
    clientOf: (call) => ({
      ...client,
      notify: (method, params) =>
        method === PROGRESS ? report(`${call}: ${describeStep(params)}`) : client.notify(method, params),
    }),
  };
}

function describeStep({ message, progress, total }: Readonly<Record<string, unknown>>): string {
  const count = typeof total === "number" ? `${String(progress)} of ${total}` : String(progress);
  return typeof message === "string" ? message : count;
}
