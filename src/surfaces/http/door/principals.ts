import { hash, timingSafeEqual } from "node:crypto";
import type { GatewayConfig } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import { clientProfile, mainProfile } from "../../../runtime/crib/profile.ts";

/** Every valid token. */
export interface HttpAccess {
  /** Opens everything. */
  readonly token: string;
  /** Each opens only `/mcp`, with its own part of the tools. */
  readonly clients: GatewayConfig["clients"];
  readonly profiles?: GatewayConfig["profiles"];
  /** Proxies that are believed about the addresses of callers. */
  readonly trustedProxies?: GatewayConfig["trustedProxies"];
  /** People and their clients, who have tokens of their own; absent or null: nobody. */
  readonly auth?: GatewayConfig["auth"];
  /** Connections at a time; as many as usual if absent. */
  readonly capacity?: Pick<GatewayConfig["capacity"], "connections">;
}

/** The owner of a token. */
export interface Principal {
  readonly profile: Profile;
  readonly isMain: boolean;
  /** Reaches as far as any. */
  readonly scopes: null;
}

export interface Principals {
  /** The owner of a token, by its digest; null if there is none. */
  find(digest: TokenDigest): Principal | null;
  /** Throws, and changes nothing, if two entries share a token. */
  replace(access: HttpAccess): void;
}

const BEARER = /^bearer +([!-~]+) *$/i;

/** The token of an `Authorization` line; null if it holds none. */
export function readBearer(authorization: string | undefined): string | null {
  return BEARER.exec(authorization ?? "")?.[1] ?? null;
}

/** Who may connect. Only digests of tokens are stored, and every one of them is compared, in constant time. */
export function createPrincipals(access: HttpAccess): Principals {
  const naming = createNaming();
  let known = toKnown(access, naming);
  const asked = Buffer.alloc(DIGEST_LENGTH);
  return {
    find(digest) {
      asked.write(digest, "latin1");
      let found: Principal | null = null;
      for (const each of known) if (timingSafeEqual(each.bytes, asked)) found = each.principal;
      return found;
    },
    replace(next) {
      known = toKnown(next, naming);
    },
  };
}

/** Characters of a token; a client with any other could never connect. */
const SENDABLE = /^[!-~]+$/;
const UNSENDABLE = "holds a space or another character that an Authorization header cannot carry; give it another one";

interface Known {
  /** The digest of its token. */
  readonly bytes: Buffer;
  readonly principal: Principal;
}

/** If two entries have the same token, choosing one would be a guess, and it may decide what is open. */
function toKnown({ token, clients, profiles }: HttpAccess, nameOf: Naming): readonly Known[] {
  if (!SENDABLE.test(token)) throw new ToolcribError("config.invalid", `gateway.token ${UNSENDABLE}`);
  const main = toTokenDigest(token);
  const known: Known[] = [
    { bytes: toBytes(main), principal: { profile: mainProfile(nameOf("main", main)), isMain: true, scopes: null } },
  ];
  for (const [at, client] of clients.entries()) {
    // Without a token it is for local clients only.
    if (client.token === null) continue;
    const digest = toTokenDigest(client.token);
    if (!SENDABLE.test(client.token)) {
      const text = `${formatOrigin(client.origin)}: gateway.clients[${at}].token ${UNSENDABLE}`;
      throw new ToolcribError("config.invalid", text, { origin: client.origin });
    }
    const bytes = toBytes(digest);
    if (known.some((other) => timingSafeEqual(other.bytes, bytes))) {
      const text = `${formatOrigin(client.origin)}: gateway.clients[${at}] has a token that another entry has too; give each its own`;
      throw new ToolcribError("config.invalid", text, { origin: client.origin });
    }
    const agent = client.agent === null ? "" : `-${client.agent.value}`;
    // As `connect --profile` names it, so that the log says the same for both.
    const name = nameOf(client.name || `client-${at + 1}${agent}`, digest, agent);
    known.push({ bytes, principal: { profile: clientProfile(client, name, profiles), isMain: false, scopes: null } });
  }
  return known;
}

type Naming = (wanted: string, digest: TokenDigest, agent?: string) => string;

/**
 * A name once given stays with its token, whatever its position in the list, and is never reused: everything under it
 * is about the same client. Only with another agent does a token get another name.
 */
function createNaming(): Naming {
  const owners = new Map<string, string>();
  const names = new Map<string, string>();
  return (wanted, digest, agent = "") => {
    const known = names.get(`${digest}${agent}`);
    if (known !== undefined) return known;
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}.${number}`;
      if ((owners.get(name) ?? digest) !== digest) continue;
      owners.set(name, digest);
      names.set(`${digest}${agent}`, name);
      return name;
    }
  };
}

/** SHA-256 in base64url. As text, because a buffer for each request costs more than its digest. */
export type TokenDigest = string;

const DIGEST_LENGTH = 43;

export function toTokenDigest(token: string): TokenDigest {
  return hash("sha256", token, "base64url");
}

function toBytes(digest: TokenDigest): Buffer {
  return Buffer.from(digest, "latin1");
}
