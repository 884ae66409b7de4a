import { personKey } from "../../core/people/person.ts";
import type { UpstreamCredentials } from "../credentials/contract.ts";
import type { SourcePool } from "./source-pool.ts";

/**
 * A connection belongs to the login that it was opened with: once that has ended, or is another one, a new connection is
 * opened, for which what is kept now counts. Ends with the credentials.
 */
export function restartChanged(
  credentials: Pick<UpstreamCredentials, "changes"> | undefined,
  pool: Pick<SourcePool, "ofPerson">,
  onError: (text: string, error: unknown) => void,
): void {
  credentials?.changes(({ person, server }) => {
    for (const source of pool.ofPerson(personKey(person), server))
      source
        .restart?.()
        .catch((error: unknown) => onError(`${server} could not be restarted for another login`, error));
  });
}
