import { isSecretKey, replaceSecrets } from "../../system/text/secret-forms.ts";

/** Receives every message between this program and a server or an extension. */
export type OnWire = (direction: "sent" | "received", message: unknown) => void;

const LONGEST = 2_000;
/** Characters of a message that are examined; the rest would be cut off anyway. */
const LOOKED_AT = 20_000;
const HIDDEN = "[hidden]";

/**
 * Writes messages to a log, one line each, shortened and without secrets: those that `redact` knows, those under a
 * telling key, and those that look like a secret.
 */
export function createWire(
  of: string,
  redact: (text: string) => string,
  log: ((text: string) => void) | undefined,
): OnWire | undefined {
  if (log === undefined) return undefined;
  return (direction, message) => {
    // A secret may straddle the cut, so secrets are replaced before cutting.
    const clean = replaceSecrets(redact(toText(message, redact).slice(0, LOOKED_AT)), HIDDEN);
    const cut = clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
    log(`${of} ${direction} ${cut}`);
  };
}

/** Values are checked one by one, because a secret with quotes reads differently in JSON. */
function toText(message: unknown, redact: (text: string) => string): string {
  const hide = (key: string, value: unknown): unknown => {
    if (typeof value !== "string" && typeof value !== "number") return value;
    if (isSecretKey(key) && value !== "") return HIDDEN;
    return typeof value === "string" ? redact(value) : value;
  };
  return JSON.stringify(message, hide) ?? "";
}
