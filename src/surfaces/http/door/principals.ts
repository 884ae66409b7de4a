import { hash, timingSafeEqual } from "node:crypto";
import type { GatewayConfig } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { clientProfile, mainProfile } from "../../../runtime/crib/profile.ts";

/** Every token that lets somebody in. */
export interface HttpAccess {
  /** Opens everything. */
  readonly token: string;
  /** Open `/mcp` alone, each with its own part of the tools. */
  readonly clients: GatewayConfig["clients"];
}

/** Somebody with a token. */
export interface Principal {
  readonly profile: Profile;
  readonly isMain: boolean;
}

export interface Principals {
  /** Whom an `Authorization` line belongs to; null for nobody. */
  find(authorization: string | undefined): Principal | null;
  /** Throws, and changes nothing, when two entries share a token. */
  replace(access: HttpAccess): void;
}

const BEARER = /^bearer +([!-~]+) *$/i;

/** Who may come in. Only digests of tokens are kept, and every one of them is compared, in constant time. */
export function createPrincipals(access: HttpAccess): Principals {
  const naming = createNaming();
  let known = toKnown(access, naming);
  return {
    find(authorization) {
      const [, token] = BEARER.exec(authorization ?? "") ?? [];
      if (token === undefined) return null;
      const digest = digestOf(token);
      let found: Principal | null = null;
      for (const each of known) if (timingSafeEqual(each.digest, digest)) found = each.principal;
      return found;
    },
    replace(next) {
      known = toKnown(next, naming);
    },
  };
}

/** What a token may be made of; a client with another one could never come in. */
const SENDABLE = /^[!-~]+$/;
const UNSENDABLE = "holds a space or another character that an Authorization header cannot carry; give it another one";

interface Known {
  readonly digest: Buffer;
  readonly principal: Principal;
}

/** Which of two entries counts for a token that both have would be a guess, and it may decide what is open. */
function toKnown({ token, clients }: HttpAccess, nameOf: Naming): readonly Known[] {
  if (!SENDABLE.test(token)) throw new ToolcribError("config.invalid", `gateway.token ${UNSENDABLE}`);
  const main = digestOf(token);
  const known: Known[] = [{ digest: main, principal: { profile: mainProfile(nameOf("main", main)), isMain: true } }];
  for (const [at, client] of clients.entries()) {
    // Without a token it is for local clients alone.
    if (client.token === null) continue;
    const digest = digestOf(client.token);
    if (!SENDABLE.test(client.token)) {
      const text = `${formatOrigin(client.origin)}: gateway.clients[${at}].token ${UNSENDABLE}`;
      throw new ToolcribError("config.invalid", text, { origin: client.origin });
    }
    if (known.some((other) => timingSafeEqual(other.digest, digest))) {
      const text = `${formatOrigin(client.origin)}: gateway.clients[${at}] has a token that another entry has too; give each its own`;
      throw new ToolcribError("config.invalid", text, { origin: client.origin });
    }
    const agent = client.agent === null ? "" : `-${client.agent.value}`;
    // As `connect --profile` has it, so that the log says the same of both.
    const name = nameOf(client.name || `client-${at + 1}${agent}`, digest, agent);
    known.push({ digest, principal: { profile: clientProfile(client, name), isMain: false } });
  }
  return known;
}

type Naming = (wanted: string, digest: Buffer, agent?: string) => string;

/**
 * A name once given stays with its token, wherever that stands in the list by then, and never falls to another one: what
 * people read under it is about one and the same client. Only with another agent a token gets another name.
 */
function createNaming(): Naming {
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  return (wanted, digest, agent = "") => {
    const owner = digest.toString("hex");
    const known = names.get(`${owner}${agent}`);
    if (known !== undefined) return known;
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}.${number}`;
      if ((owners.get(name) ?? owner) !== owner) continue;
      owners.set(name, owner);
      names.set(`${owner}${agent}`, name);
      return name;
    }
  };
}

function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
