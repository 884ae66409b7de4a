import { timingSafeEqual } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "./contract.ts";
import { hashOf, randomHandle, randomSecret } from "./family-token.ts";
import { peopleValues } from "./people-values.ts";

/** How a client shows at the token endpoint who it is. */
export const CLIENT_PROOFS = ["none", "client_secret_basic", "client_secret_post"] as const;
type ClientProof = (typeof CLIENT_PROOFS)[number];

export interface NewClient {
  readonly name: string;
  readonly redirects: readonly string[];
  readonly proof: ClientProof;
}

/** A client that registered itself. */
interface RegisteredClient extends NewClient {
  readonly id: string;
}

export interface RegisteredClients {
  /** Its secret is not stored; null for a public client. Null as a whole if there are too many. */
  register(client: NewClient): Promise<{ readonly id: string; readonly secret: string | null } | null>;
  find(id: string): Promise<RegisteredClient | null>;
  isSecret(id: string, secret: string): Promise<boolean>;
  /** That it is in use, so that it stays. */
  touch(id: string): Promise<void>;
}

interface StoredClient extends NewClient {
  readonly secret: string | null;
  readonly since: number;
  /** When a person or a token last used it; null: never. */
  readonly used: number | null;
}

const DAY = 86_400_000;
/** Milliseconds after which a client that was never used, or not any more, is forgotten. */
const NEVER_USED = DAY;
const UNUSED = 30 * DAY;
/** Milliseconds for which a new one stays in any case: its person may be logging in. */
const FRESH = 600_000;
const MOST = 10_000;
/** Milliseconds between looks at all of them. */
const LOOK = 60_000;
const ID = /^tcc_[\w-]{22}$/;

export function createRegisteredClients(place: PeoplePlace, now: () => number = Date.now): RegisteredClients {
  const clients = peopleValues(place, "people.clients");
  let looked = Number.NEGATIVE_INFINITY;
  let count = 0;
  const isGone = ({ since, used }: StoredClient): boolean =>
    now() >= (used === null ? since + NEVER_USED : used + UNUSED);
  const read = async (id: string): Promise<StoredClient | null> => {
    const row = ID.test(id) ? toClient(await clients.get(id)) : null;
    return row === null || isGone(row) ? null : row;
  };
  /** Whether one more fits. Looks at all of them only now and then. */
  const makeRoom = async (): Promise<boolean> => {
    if (now() - looked < LOOK) return count < MOST;
    looked = now();
    const rows = [...(await clients.entries())].map(([id, value]) => [id, toClient(value)] as const);
    const gone = rows.filter(([, row]) => row === null || isGone(row));
    // Somebody who fills the place with clients that nobody uses does not keep others out for long.
    const spare = rows
      .filter(([, row]) => row?.used === null && now() - row.since >= FRESH)
      .sort(([, one], [, other]) => (one?.since ?? 0) - (other?.since ?? 0));
    const isFull = rows.length - gone.length >= MOST;
    const out = new Set([...gone, ...(isFull ? spare.slice(0, MOST / 10) : [])].map(([id]) => id));
    for (const id of out) await clients.change(id, () => undefined);
    count = rows.length - out.size;
    return count < MOST;
  };
  return {
    async register({ name, redirects, proof }) {
      if (!(await makeRoom())) return null;
      const id = `tcc_${randomHandle()}`;
      const secret = proof === "none" ? null : randomSecret();
      const row: StoredClient = {
        ...{ name, redirects, proof, since: now(), used: null },
        secret: secret && hashOf(secret),
      };
      await clients.change(id, () => row);
      count += 1;
      return { id, secret };
    },
    async find(id) {
      const row = await read(id);
      return row && { id, name: row.name, redirects: row.redirects, proof: row.proof };
    },
    async isSecret(id, secret) {
      const stored = (await read(id))?.secret ?? null;
      return stored !== null && timingSafeEqual(Buffer.from(stored), Buffer.from(hashOf(secret)));
    },
    async touch(id) {
      const known = await read(id);
      if (known === null || (known.used !== null && now() - known.used < DAY)) return;
      await clients.change(id, (value) => {
        const row = toClient(value);
        return row === null ? value : { ...row, used: now() };
      });
    },
  };
}

function toClient(value: unknown): StoredClient | null {
  return isRecord(value) && Array.isArray(value.redirects) ? (value as unknown as StoredClient) : null; // Ours alone.
}
