import { createHmac } from "node:crypto";

const TIMESTAMP = "x-toolcrib-timestamp";
const SIGNATURE = "x-toolcrib-signature";

/**
 * Headers by which a receiver knows that a request is ours and new: seconds since 1970, and the HMAC-SHA256 of
 * `v1:TIMESTAMP:BODY` in hex behind `v1=`.
 */
export function signBody(body: string, secret: string, now = Date.now()): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  return { [TIMESTAMP]: timestamp, [SIGNATURE]: signatureOf(body, secret, timestamp) };
}

function signatureOf(body: string, secret: string, timestamp: string): string {
  return `v1=${createHmac("sha256", secret).update(`v1:${timestamp}:${body}`).digest("hex")}`;
}
