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

/** The login of one server, in a file that only its owner can read. */
export interface LoginStore {
  /** Null if there is none that can be used. */
  read(): Promise<Login | null>;
  write(login: Login): Promise<void>;
  /** Returns whether there was one. */
  remove(): Promise<boolean>;
  /** Runs one at a time across all processes, because a refresh token works only once. */
  alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createLoginStore(folder: string, server: URL): LoginStore {
  const url = keyOf(server);
  const path = join(folder, `${createHash("sha256").update(url).digest("hex").slice(0, 40)}.json`);
  return {
    async read() {
      const text = await readFile(path, "utf8").catch(() => null);
      if (text === null) return null;
      // A restored backup may have made it readable for everybody.
      if (((await stat(path).catch(() => null))?.mode ?? 0) & 0o077) await chmod(path, 0o600).catch(() => undefined);
      const login = toLogin(text);
      return login?.url === url ? login : null;
    },
    write: (login) => writeWhole(path, `${JSON.stringify({ version: 1, ...login, url }, null, 2)}\n`, 0o600),
    async remove() {
      const known = await stat(path).catch(() => null);
      await rm(path, { force: true }).catch((error: unknown) => {
        throw toNotWritten(path, error);
      });
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

function toLogin(text: string): Login | null {
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
