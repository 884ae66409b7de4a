import { createHash, randomBytes, randomUUID } from "node:crypto";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Caller, Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace, PeopleRows } from "./contract.ts";
import { peopleValues } from "./people-values.ts";

/** Whom an admin invites, where there is no identity provider (O5). */
interface Invited {
  /** As others see them. */
  readonly name: string;
  readonly email: string | null;
  readonly groups: readonly string[];
  /** Somebody who was invited before and has lost their passkey. */
  readonly again?: Person;
}

/** An invitation that was not used yet. */
interface OpenInvitation {
  readonly caller: Omit<Caller, "client">;
  /** Who has invited them. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface Invitations {
  /** The link, which works once. Nobody can read its secret again. */
  create(invited: Invited, by: string): Promise<{ readonly link: string; readonly until: number }>;
  /** Null for one that is unknown, used or too old. */
  find(token: string): Promise<OpenInvitation | null>;
  /** The same, and from then on nobody can. */
  use(token: string): Promise<OpenInvitation | null>;
  list(): Promise<readonly OpenInvitation[]>;
}

/** Milliseconds: three days. */
export const INVITED_FOR = 3 * 86_400_000;
/** The page of the gateway that takes invitations. */
export const INVITATION_PATH = "/login/invitation";

/** `publicUrl` is the issuer of everybody who is invited: they are known here and nowhere else. */
export function createInvitations(
  place: PeoplePlace,
  { publicUrl, people, now = Date.now }: { publicUrl: string; people: Pick<PeopleRows, "find">; now?: () => number },
): Invitations {
  const values = peopleValues(place, "people.invitations");
  const open = (value: unknown): OpenInvitation | null => {
    const found = fromStored(value);
    return found !== null && now() < found.until ? found : null;
  };
  return {
    async create({ name, email, groups, again }, by) {
      if (again !== undefined && (again.issuer !== publicUrl || (await people.find(again)) === null))
        throw new ToolcribError("people.not-invited", "only somebody who was invited before can be invited again", {
          names: [again.subject],
        });
      const caller = { issuer: publicUrl, subject: again?.subject ?? randomUUID(), groups, claims: [], name, email };
      const token = randomBytes(32).toString("base64url");
      const until = now() + INVITED_FOR;
      await values.change(digestOf(token), (): OpenInvitation => ({ caller, by, until }));
      // Behind "#" it is sent to no server and stands in no log of a proxy; mail scanners cannot use it up.
      return { link: `${publicUrl}${INVITATION_PATH}#${token}`, until };
    },
    find: async (token) => open(await values.get(digestOf(token))),
    async use(token) {
      let used: OpenInvitation | null = null;
      await values.change(digestOf(token), (value) => {
        used = open(value);
        return undefined;
      });
      return used;
    },
    list: async () => [...(await values.entries()).values()].flatMap((value) => open(value) ?? []),
  };
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function fromStored(value: unknown): OpenInvitation | null {
  if (!isRecord(value) || !isRecord(value.caller) || typeof value.until !== "number") return null;
  return value as unknown as OpenInvitation; // As `create` writes it.
}
