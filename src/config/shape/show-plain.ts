import { isSecretVariable } from "../../system/process/secret-variables.ts";
import { MASK, maskParts, ONLY_REFERENCES } from "./mask-secrets.ts";

/**
 * A named value for the person who decides whether it may run: all of it except secrets. A value named like a secret is
 * masked whole; otherwise only what has the form of a secret is, so that a command line cannot hide behind one. Null if
 * the name of an option says that it is a secret.
 */
export function showPlain(name: string | null, value: string): string {
  if (ONLY_REFERENCES.test(value)) return value;
  const isNamedSo = name === null || isSecretVariable(name.replaceAll("-", "_"), "x");
  const isPlace = PLACE.test(value) || (name !== null && NAMES_A_PLACE.test(name));
  return isNamedSo && !isPlace && value !== "" ? MASK : maskParts(value);
}

/** No secret looks like this: a file or folder, relative, from home or from the root. */
const PLACE = /^(?:\.{1,2}\/|~\/|\/(?:[\w.-]+\/)+)/;
/** The location or helper of a secret is no secret, and decides what is read or run. */
const NAMES_A_PLACE = /(?:_(?:FILE|PATH|DIR|COMMAND|CMD|PROGRAM|HELPER)|^GIT_CONFIG_KEY_\d+)$/i;
