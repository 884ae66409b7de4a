import type { Person } from "../../core/people/person.ts";
import {
  formatLogin,
  isSameLogin,
  type Login,
  type LoginStore,
  parseLogin,
} from "../../sources/mcp/oauth/login-store.ts";
import type { UpstreamServer } from "./contract.ts";
import { CHANGED, type KeptLogins } from "./kept-logins.ts";
import type { OpenLogin } from "./login-row.ts";
import { upstreamOrigin } from "./upstream-url.ts";

export interface PersonLoginOptions {
  readonly kept: KeptLogins;
  readonly server: UpstreamServer;
  readonly person: Person;
  /** Tokens that nobody keeps: somebody logged out while they were renewed. */
  readonly onLeftOver: (login: Login) => void;
}

/** Where the login of one person at one server is kept: sealed, for all machines. */
export function createPersonLogin({ kept, server, person, onLeftOver }: PersonLoginOptions): LoginStore {
  const { name } = server;
  const find = () => kept.find(person, name);
  const findSame = async (login: Login): Promise<OpenLogin | null> => {
    const open = await find();
    return open !== null && isSameLogin(loginIn(open), login) ? open : null;
  };
  return {
    async read() {
      const open = await find();
      return open === null || whyUnusable(open, server, "person") !== null ? null : loginIn(open);
    },
    write: (login) =>
      kept.put(person, name, {
        ...{ kind: "person", origin: new URL(login.url).origin, issuer: login.issuer, clientId: login.clientId },
        ...{ scope: server.oauth?.scope ?? null, secret: formatLogin(login) },
      }),
    async renew(before, login) {
      const open = await findSame(before);
      const isKept = open !== null && (await kept.replace(person, name, open, formatLogin(login)));
      if (!isKept) onLeftOver(login);
      return isKept;
    },
    async refuse(login) {
      const open = await findSame(login);
      if (open !== null) await kept.doubt(person, name, open, "its authorization server no longer takes it");
    },
    remove: async () => (await kept.remove(person, name)) !== null,
    alone: (signal, work) => kept.alone(person, name, signal, work),
  };
}

export function loginIn({ secret }: OpenLogin): Login | null {
  return secret === null ? null : parseLogin(secret);
}

/** Why what is kept for somebody cannot be used as the entry is now; null if it can. */
export function whyUnusable({ row, secret }: OpenLogin, server: UpstreamServer, kind: "person" | "key"): string | null {
  if (row.kind !== kind) return `the entry wants ${kind === "key" ? "a key" : "a login"} now`;
  if (row.trouble !== null) return row.trouble;
  if (secret === null) return CHANGED;
  if (row.origin !== upstreamOrigin(server)) return "the entry names another address now";
  if (kind === "key") return null;
  const { clientId = null, scope = null } = server.oauth ?? {};
  if (clientId !== null && clientId !== row.clientId) return "the entry names another client now (oauth.clientId)";
  return scope === row.scope ? null : "the entry asks for other scopes now (oauth.scope)";
}
