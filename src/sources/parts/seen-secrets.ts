import { HIDDEN } from "../../system/text/hidden-values.ts";

/** The secrets of one server that were seen last, and texts without them. */
export interface SeenSecrets {
  add(secret: string): void;
  hide(text: string): string;
}

const REMEMBERED = 40;

export function createSeenSecrets(): SeenSecrets {
  const seen = new Set<string>();
  return {
    add(secret) {
      seen.delete(secret);
      seen.add(secret);
      const [oldest] = seen;
      if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
    },
    hide(text) {
      // Longest first, so that a secret which contains another is hidden whole.
      const secrets = [...seen].sort((one, other) => other.length - one.length);
      return secrets.reduce((clean, secret) => clean.replaceAll(secret, HIDDEN), text);
    },
  };
}
