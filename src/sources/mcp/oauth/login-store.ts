import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { toNotWritten, writeWhole } from "../../../system/files/write-whole.ts";

/** The outcome of one login at one authorization server for one MCP server. */
export interface Login {
  /** The MCP server. Tokens are sent only there. */
  readonly url: string;
  /**
   * The issuer. Tokens are renewed at the endpoint that this issuer named at the login, whatever the server says now.
   */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly authMethods: readonly string[];
  /** Where that issuer revokes tokens; null if it named no address. */
  readonly revocation: { readonly endpoint: string; readonly authMethods: readonly string[] } | null;
  /** Null: none was named. */
  readonly resource: string | null;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly access: string;
  readonly refresh: string | null;
  /** Milliseconds since 1970; null if unknown. */
  readonly expires: number | null;
}

/** The login of one server: in a file that only its owner can read, or sealed in a store. */
export interface LoginStore {
  /** Null if there is none that can be used. */
  read(): Promise<Login | null>;
  write(login: Login): Promise<void>;
  /** Puts a renewed login in the place of the one before it; false if that has gone or is another one by now. */
  renew(before: Login, login: Login): Promise<boolean>;
  /** The authorization server refused this one: it counts no more. Another one that has its place stays. */
  refuse(login: Login): Promise<void>;
  /** Returns whether there was one. */
  remove(): Promise<boolean>;
  /** Runs one at a time across all processes, because a refresh token works only once. */
  alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createLoginStore(folder: string, server: URL): LoginStore {
  const url = keyOf(server);
  const path = join(folder, `${createHash("sha256").update(url).digest("hex").slice(0, 40)}.json`);
  const read = async (): Promise<Login | null> => {
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) return null;
    // A restored backup may have made it readable for everybody.
    if (((await stat(path).catch(() => null))?.mode ?? 0) & 0o077) await chmod(path, 0o600).catch(() => undefined);
    const login = parseLogin(text);
    return login?.url === url ? login : null;
  };
  const write = (login: Login): Promise<void> => writeWhole(path, formatLogin({ ...login, url }), 0o600);
  const remove = (): Promise<void> =>
    rm(path, { force: true }).catch((error: unknown) => {
      throw toNotWritten(path, error);
    });
  const isNow = async (login: Login): Promise<boolean> => isSameLogin(await read(), login);
  return {
    ...{ read, write },
    async renew(before, login) {
      if (!(await isNow(before))) return false;
      await write(login);
      return true;
    },
    async refuse(login) {
      // Nothing of it works any longer; if it stayed, it would be tried for ever.
      if (await isNow(login)) await remove();
    },
    async remove() {
      const known = await stat(path).catch(() => null);
      await remove();
      return known !== null;
    },
    async alone(signal, work) {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
      return oneAtATime(path, work, { signal });
    },
  };
}

/** The part after `#` never reaches a server. */
function keyOf(server: URL): string {
  const url = new URL(server);
  url.hash = "";
  return url.href;
}

/** Whether a login is this one, and not one that was made or renewed since. */
export function isSameLogin(one: Login | null, other: Login): boolean {
  return one !== null && one.access === other.access && one.refresh === other.refresh;
}

/** A login as text, with all its secrets. */
export function formatLogin(login: Login): string {
  return `${JSON.stringify({ version: 1, ...login }, null, 2)}\n`;
}

/** A login as it was written; null for what is none. */
export function parseLogin(text: string): Login | null {
  const value = parseJson(text);
  if (!isRecord(value) || value.version !== 1) return null;
  const { url, issuer, tokenEndpoint, authMethods, resource, clientId, clientSecret, access, refresh, expires } = value;
  const { revocation } = value;
  const texts = [url, issuer, tokenEndpoint, clientId, access];
  if (!texts.every((each) => typeof each === "string")) return null;
  return {
    url: String(url),
    issuer: String(issuer),
    tokenEndpoint: String(tokenEndpoint),
    authMethods: toTexts(authMethods),
    revocation:
      isRecord(revocation) && typeof revocation.endpoint === "string"
        ? { endpoint: revocation.endpoint, authMethods: toTexts(revocation.authMethods) }
        : null,
    resource: typeof resource === "string" ? resource : null,
    clientId: String(clientId),
    clientSecret: typeof clientSecret === "string" ? clientSecret : null,
    access: String(access),
    refresh: typeof refresh === "string" ? refresh : null,
    expires: typeof expires === "number" ? expires : null,
  };
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
