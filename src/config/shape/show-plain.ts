import { isSecretVariable } from "../../system/process/secret-variables.ts";
import { MASK, maskParts, ONLY_REFERENCES } from "./mask-secrets.ts";

/**
 * What stands under a name, for whoever decides whether it may run: all of it but secrets. By its name a value is
 * masked whole, by its form only the secret in it, so that a command line cannot hide behind one. Null: the name of an
 * option says that it is a secret.
 */
export function showPlain(name: string | null, value: string): string {
  if (ONLY_REFERENCES.test(value)) return value;
  const isNamedSo = name === null || isSecretVariable(name.replaceAll("-", "_"), "x");
  const isPlace = PLACE.test(value) || (name !== null && NAMES_A_PLACE.test(name));
  return isNamedSo && !isPlace && value !== "" ? MASK : maskParts(value);
}

/** No secret is written like this: a file or folder, from here, from home or from the root. */
const PLACE = /^(?:\.{1,2}\/|~\/|\/(?:[\w.-]+\/)+)/;
/** Where a secret lies or who hands it over is no secret, and decides what is read or run. */
const NAMES_A_PLACE = /(?:_(?:FILE|PATH|DIR|COMMAND|CMD|PROGRAM|HELPER)|^GIT_CONFIG_KEY_\d+)$/i;
