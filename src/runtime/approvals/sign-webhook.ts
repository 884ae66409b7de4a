import { createHmac } from "node:crypto";

interface WebhookMessage {
  /** The same for every try of one message. */
  readonly id: string;
  readonly body: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/**
 * Headers that prove who sent a message and when, as Standard Webhooks defines them, so that receivers have libraries:
 * HMAC-SHA256 over id, time and body. A secret `whsec_…` is base64, any other is taken as it is.
 */
export function signWebhook({ id, body, at }: WebhookMessage, secret: string): Readonly<Record<string, string>> {
  const [, encoded] = /^whsec_(.+)$/.exec(secret) ?? [];
  const key = encoded === undefined ? Buffer.from(secret, "utf8") : Buffer.from(encoded, "base64");
  const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` };
}
