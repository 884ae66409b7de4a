import type { GatewayConfig } from "../../../config/config.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isClient } from "../../../core/people/map-person.ts";
import { describePerson } from "../../../core/people/person.ts";
import type { AuditNote } from "../../../runtime/audit/audit-row.ts";
import { personProfile } from "../../../runtime/crib/profile.ts";
import type { Pass } from "../../../runtime/people/contract.ts";
import { quoteClaim } from "../../../runtime/people/foreign-claims.ts";
import type { TokenRefusal, TokenTable } from "../../../runtime/people/token-table.ts";
import { HttpRefusal } from "../api/answers.ts";
import { type Bearer, type PeoplePort, SCOPES } from "../door/people-port.ts";

/** What of the configuration is about people. */
export type PeopleGateway = Pick<GatewayConfig, "auth" | "profiles">;

/** Bearers of tokens, with what the configuration gives them now. */
export interface Bearers extends Pick<PeoplePort, "known" | "ask"> {
  setGateway(gateway: PeopleGateway): void;
}

interface BearersOptions {
  readonly gateway: PeopleGateway;
  readonly table: TokenTable;
  readonly note: (note: AuditNote) => void;
}

export function createBearers({ gateway: first, table, note }: BearersOptions): Bearers {
  let gateway = first;
  let bearers = new WeakMap<Pass, Bearer>();
  const toBearer = (pass: Pass): Bearer | null => {
    const known = bearers.get(pass);
    if (known !== undefined) return known;
    if (whyNot(pass, gateway) !== null) return null;
    const scopes = SCOPES.filter((scope) => pass.scopes.includes(scope));
    const bearer = { profile: profileOf(pass, gateway), scopes, isOver: () => table.isOver(pass) };
    bearers.set(pass, bearer);
    return bearer;
  };
  const reasonOf = (found: Pass | TokenRefusal): string =>
    "refused" in found ? found.refused : (whyNot(found, gateway) ?? "");
  return {
    known(token, digest) {
      const pass = table.known(token, digest);
      return pass === null ? null : toBearer(pass);
    },
    async ask(token, digest, { address }) {
      const found = await table.ask(token, digest);
      const bearer = "refused" in found ? null : toBearer(found);
      if (bearer === null)
        note({ type: "token.refused", text: `a token from ${address} was refused: ${reasonOf(found)}` });
      return bearer;
    },
    setGateway(next) {
      gateway = next;
      bearers = new WeakMap();
    },
  };
}

/** What the configuration says against it, whatever the token says. */
function whyNot({ caller: { client } }: Pass, { auth }: PeopleGateway): string | null {
  if (auth === null) return "gateway.auth is gone from the configuration";
  if (client === null || auth.clients === null || auth.clients.some((wanted) => isClient(client, wanted))) return null;
  return `its client ${quoteClaim(client)} is none of gateway.auth.clients`;
}

/** What rules give a person may contradict itself. */
function profileOf({ caller, authorization }: Pass, gateway: PeopleGateway): Bearer["profile"] {
  try {
    return personProfile({ gateway }, caller, authorization);
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    throw new HttpRefusal(403, error.code, `nothing can be given to ${describePerson(caller)}: ${error.message}`);
  }
}
