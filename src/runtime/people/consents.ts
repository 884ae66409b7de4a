import type { Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "./contract.ts";
import { hashOf, randomSecret } from "./family-token.ts";
import { peopleValues } from "./people-values.ts";

/** Milliseconds that a person has for the consent page. */
const ASKED_FOR = 600_000;

/** Of a client, what a person was shown when they agreed: if any of it changes, they are asked again. */
interface ShownClient {
  readonly id: string;
  readonly name: string;
  readonly redirects: readonly string[];
  /** Where the answer goes this time. */
  readonly host: string;
}

/** What people agreed to, and what they are being asked now. */
export interface Consents {
  has(person: Person, client: ShownClient, scopes: readonly string[]): Promise<boolean>;
  remember(person: Person, client: ShownClient, scopes: readonly string[]): Promise<void>;
  /** Stores a question of one browser session; returns what only its page knows. */
  ask(browser: string, question: unknown): Promise<string>;
  /** The question, once, soon, and for the same browser session alone; null otherwise. */
  take(ticket: string, browser: string): Promise<unknown>;
}

export function createConsents(place: PeoplePlace, now: () => number = Date.now): Consents {
  const asked = peopleValues(place, "people.asked");
  const givenBy = (person: Person) => peopleValues(place, "people.consents", person);
  return {
    async has(person, client, scopes) {
      const row = await givenBy(person).get(keyOf(client));
      if (!isRecord(row) || row.shown !== digestOf(client) || !Array.isArray(row.scopes)) return false;
      const known: readonly unknown[] = row.scopes;
      return scopes.every((scope) => known.includes(scope));
    },
    remember: (person, client, scopes) =>
      givenBy(person).change(keyOf(client), () => ({ client: client.id, shown: digestOf(client), scopes })),
    async ask(browser, question) {
      const ticket = randomSecret();
      await asked.change(hashOf(ticket), () => ({ browser, question, until: now() + ASKED_FOR }));
      return ticket;
    },
    async take(ticket, browser) {
      let question: unknown = null;
      await asked.change(hashOf(ticket), (value) => {
        question = null;
        if (!isRecord(value) || value.browser !== browser) return value;
        if (typeof value.until === "number" && value.until > now()) question = value.question;
        return undefined;
      });
      return question;
    },
  };
}

/** What a person agreed to for one client, or for all. */
export async function forgetConsents(place: PeoplePlace, person: Person, client: string | null): Promise<void> {
  const given = peopleValues(place, "people.consents", person);
  for (const [key, row] of await given.entries())
    if (client === null || (isRecord(row) && row.client === client)) await given.change(key, () => undefined);
}

function keyOf({ id, host }: Pick<ShownClient, "id" | "host">): string {
  return hashOf(JSON.stringify([id, host]));
}

function digestOf({ id, name, redirects }: ShownClient): string {
  return hashOf(JSON.stringify([id, name, [...redirects].sort()]));
}
