import { checkToken, readAccount } from "../models/service.ts";
import type { ClientConnection } from "../wire/client-connection.ts";
import { type Json, recordOf, textOf } from "../wire/wire-values.ts";
import type { Asked, Method } from "./method.ts";

/** Somebody that a client logged in. Known to that connection alone, and forgotten with it. */
interface Login {
  readonly host: string;
  readonly login: string;
  readonly token: string;
}

const logins = new WeakMap<ClientConnection, readonly Login[]>();

function loginsOf(connection: ClientConnection): readonly Login[] {
  return logins.get(connection) ?? [];
}

/** The token that counts for what a client asks without naming one: that of its newest login, else the environment's. */
export function tokenFor({ server, connection }: Pick<Asked, "server" | "connection">): string | null {
  return loginsOf(connection).at(-1)?.token ?? server.gitHubToken;
}

/** What a client wants for a session, with the token of its login where it names none. */
export function withLogin(connection: ClientConnection, params: Json): Json {
  const login = loginsOf(connection).at(-1);
  return login === undefined || params.gitHubToken !== undefined ? params : { ...params, gitHubToken: login.token };
}

/** Logging in and out. Tokens stay in memory; nothing is written to a vault. */
export const LOGIN_METHODS: Readonly<Record<string, Method>> = {
  "account.login": async ({ server, connection, params }) => {
    const token = textOf(params.token) ?? "";
    if (token === "") throw new Error("account.login needs a token");
    await checkToken(server, token);
    const known = await readAccount(server, token);
    const login = textOf(known.login) ?? textOf(params.login);
    if (login === undefined)
      throw new Error("account.login needs a login: no service is configured that knows the token");
    const added = { host: textOf(params.host) ?? HOST, login, token };
    logins.set(connection, [...loginsOf(connection).filter((one) => !isSame(one, added)), added]);
    return { storedInVault: false };
  },
  "account.logout": ({ connection, params }) => {
    const gone = recordOf(params.authInfo);
    const left = loginsOf(connection).filter((one) => !isSame(one, gone));
    logins.set(connection, left);
    return { hasMoreUsers: left.length > 0 };
  },
  // `auth.getStatus` is about the token of the environment.
  "account.getCurrentAuth": ({ connection }) => {
    const own = loginsOf(connection).at(-1);
    return own === undefined ? {} : { authInfo: toUser(own) };
  },
  // Those in a vault, with their tokens: there is none, and no token is handed out.
  "account.getAllUsers": () => [],
};

const HOST = "https://github.com";

function isSame({ host, login }: Login, other: Readonly<Record<string, unknown>>): boolean {
  return host === other.host && login === other.login;
}

function toUser({ host, login }: Login): Json {
  return { type: "user", host, login };
}
