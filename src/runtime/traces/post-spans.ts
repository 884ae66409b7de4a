import type { TraceSettings } from "./trace-settings.ts";

/** Sends a batch to a collector; rejects unless it is accepted in time. */
export async function postSpans({ url, headers }: TraceSettings, body: object, timeout: number): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...Object.fromEntries(headers), "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(timeout),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
}
