import { type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "../people/contract.ts";
import type { CredentialChange } from "./contract.ts";

/** What machines tell each other about logins and keys. */
export interface CredentialNews {
  /** This machine knows at once, the others soon. */
  announce(person: Person, server: string): Promise<void>;
  changes(listener: (change: CredentialChange) => void): () => void;
  close(): void;
}

export function createCredentialNews(
  { store, scope }: PeoplePlace,
  onError: (text: string, error: unknown) => void,
): CredentialNews {
  const listeners = new Set<(change: CredentialChange) => void>();
  const feed = `credentials:${scope}`;
  const tell = (change: CredentialChange): void => {
    for (const listener of [...listeners]) {
      try {
        listener(change);
      } catch (error) {
        onError("what follows from a changed login failed", error);
      }
    }
  };
  // An old message does no harm: a machine that starts remembers nothing.
  const stop = store.follow(feed, 0, ({ message }) => {
    const change = fromFeed(message);
    if (change !== null) tell(change);
  });
  return {
    async announce({ issuer, subject }, server) {
      const change = { person: { issuer, subject }, server };
      tell(change);
      await store.post(feed, change);
    },
    changes(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      stop();
      listeners.clear();
    },
  };
}

function fromFeed(message: unknown): CredentialChange | null {
  if (!isRecord(message) || !isRecord(message.person) || typeof message.server !== "string") return null;
  const { issuer, subject } = message.person;
  if (typeof issuer !== "string" || typeof subject !== "string") return null;
  return { person: { issuer, subject }, server: message.server };
}

/** The same for the same person at the same server. */
export function credentialKey(person: Person, server: string): string {
  return `${personKey(person)} ${server}`;
}
