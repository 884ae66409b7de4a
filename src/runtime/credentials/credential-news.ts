import { randomUUID } from "node:crypto";
import { type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "../people/contract.ts";
import type { CredentialChange } from "./contract.ts";

/** What machines tell each other about logins and keys. */
export interface CredentialNews {
  /** This machine knows at once, the others soon. */
  announce(news: News): Promise<void>;
  changes(listener: (news: News) => void): () => void;
  close(): void;
}

interface News extends CredentialChange {
  /** It is the same login as before, with other tokens or none that count: open connections stay. */
  readonly isRenewal: boolean;
}

export function createCredentialNews(
  { store, scope }: PeoplePlace,
  onError: (text: string, error: unknown) => void,
): CredentialNews {
  const listeners = new Set<(news: News) => void>();
  const feed = `credentials:${scope}`;
  const machine = randomUUID();
  const tell = (news: News): void => {
    for (const listener of [...listeners]) {
      try {
        listener(news);
      } catch (error) {
        onError("what follows from a changed login failed", error);
      }
    }
  };
  // An old message does no harm: a machine that starts remembers nothing.
  const stop = store.follow(feed, 0, ({ message }) => {
    const news = fromFeed(message, machine);
    if (news !== null) tell(news);
  });
  return {
    async announce({ person: { issuer, subject }, server, isRenewal }) {
      const news = { person: { issuer, subject }, server, isRenewal };
      tell(news);
      await store.post(feed, { ...news, machine });
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

/** Null for what this machine knows already. */
function fromFeed(message: unknown, machine: string): News | null {
  if (!isRecord(message) || !isRecord(message.person) || typeof message.server !== "string") return null;
  if (message.machine === machine) return null;
  const { issuer, subject } = message.person;
  if (typeof issuer !== "string" || typeof subject !== "string") return null;
  return { person: { issuer, subject }, server: message.server, isRenewal: message.isRenewal === true };
}

/** The same for the same person at the same server. */
export function credentialKey(person: Person, server: string): string {
  return `${personKey(person)} ${server}`;
}
