import { createHmac, timingSafeEqual } from "node:crypto";

/** What Slack sends, exactly as it arrived. */
interface SlackRequest {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  readonly body: string;
}

/** Seconds by which a request may be old, or clocks may differ: an older one may be somebody's copy. */
const FRESH = 300;

/** Whether Slack sent it, just now; with any other body or time the signature is another one. */
export function isFromSlack(
  { timestamp = "", signature = "", body }: SlackRequest,
  signingSecret: string,
  now: number,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > FRESH) return false;
  const digest = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  const [wanted, given] = [Buffer.from(`v0=${digest}`), Buffer.from(signature)];
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}
