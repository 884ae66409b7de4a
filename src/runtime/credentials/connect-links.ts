import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type Person, personKey } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";

/** Where a person logs in at one server or enters their key there: in a browser of their own, once and soon (O12). */
interface ConnectLink {
  /** Says nothing about where the link leads. */
  readonly id: string;
  readonly person: Person;
  readonly server: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface MadeLink extends ConnectLink {
  readonly address: string;
}

export interface ConnectLinks {
  /** A person who asks again soon gets the same one, unless it has been used. */
  make(person: Person, server: string): Promise<MadeLink>;
  /** Null for one that is unknown, used or too old. */
  find(token: string): Promise<ConnectLink | null>;
  /** The same, if it is this person's, and from then on nobody can. */
  use(token: string, person: Person): Promise<ConnectLink | null>;
}

export interface ConnectLinksOptions {
  readonly place: PeoplePlace;
  /** An origin. */
  readonly publicUrl: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The path below which links are, and the page of each server. */
const CONNECT_PATH = "/connect";
/** Milliseconds. */
const LINK_LIFE = 600_000;
/** With less time left, another one is made. */
const FRESH = 300_000;
const MOST_REMEMBERED = 10_000;

export function createConnectLinks({ place, publicUrl, now = Date.now }: ConnectLinksOptions): ConnectLinks {
  const values = peopleValues(place, "people.links");
  /** Of this machine: only here is the secret of a link known. */
  const made = new Map<string, MadeLink & { readonly token: string }>();
  const open = (value: unknown): ConnectLink | null => {
    const link = fromStored(value);
    return link !== null && now() < link.until ? link : null;
  };
  const find: ConnectLinks["find"] = async (token) => open(await values.get(digestOf(token)));
  return {
    find,
    async make({ issuer, subject }, server) {
      const key = JSON.stringify([personKey({ issuer, subject }), server]);
      const known = made.get(key);
      if (known !== undefined && now() + FRESH < known.until && (await find(known.token)) !== null) return known;
      const token = randomBytes(32).toString("base64url");
      const link: ConnectLink = { id: randomUUID(), person: { issuer, subject }, server, until: now() + LINK_LIFE };
      await values.change(digestOf(token), () => link);
      const whole = { ...link, token, address: `${publicUrl}${CONNECT_PATH}/${token}` };
      made.delete(key);
      made.set(key, whole);
      const [oldest] = made.keys();
      if (made.size > MOST_REMEMBERED && oldest !== undefined) made.delete(oldest);
      return whole;
    },
    async use(token, person) {
      let used: ConnectLink | null = null;
      await values.change(digestOf(token), (value) => {
        used = null;
        const link = open(value);
        // Somebody else must not use it up.
        if (link === null || personKey(link.person) !== personKey(person)) return value;
        used = link;
        return undefined;
      });
      return used;
    },
  };
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function fromStored(value: unknown): ConnectLink | null {
  if (!isRecord(value) || !isRecord(value.person) || typeof value.until !== "number") return null;
  return value as unknown as ConnectLink; // As `make` writes it.
}
