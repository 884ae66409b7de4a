import type { Profile } from "../../../runtime/crib/crib.ts";
import { MAIN } from "../../../runtime/crib/profile.ts";

/**
 * Who a client is: the same token is the same client, whatever it is called and allowed by now. The main one is known by its name
 * alone, which is another one for another token.
 */
export function clientOwner({ key, principal }: Profile): string {
  return key === MAIN ? `${key}\n${principal}` : key;
}
