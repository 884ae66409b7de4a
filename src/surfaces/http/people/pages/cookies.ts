import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Cookies of this gateway, which no page of another origin and no script can read. */
export interface Cookies {
  /** Null if there is none, or several: somebody else may have set one of them. */
  read(request: IncomingMessage, name: CookieName): string | null;
  /** A `Set-Cookie` line. */
  set(name: CookieName, value: string, seconds: number): string;
  clear(name: CookieName): string;
}

const NAMES = {
  /** Who is logged in. */
  session: "toolcrib",
  /** The browser that has begun to log in. */
  login: "toolcrib-login",
} as const;
type CookieName = keyof typeof NAMES;

/** Without TLS, on this machine alone, browsers refuse the safer kind of name. */
export function createCookies(publicUrl: string): Cookies {
  const isSecure = publicUrl.startsWith("https://");
  const prefix = isSecure ? "__Host-" : "";
  const rest = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const set = (name: CookieName, value: string, seconds: number): string =>
    `${prefix}${NAMES[name]}=${value}; Max-Age=${seconds}; ${rest}`;
  return {
    read({ headers }, name) {
      const found = (headers.cookie ?? "").split(";").flatMap((part) => {
        const [, key, value = ""] = /^\s*([^=]+)=(.*)$/.exec(part.trimEnd()) ?? [];
        return key === `${prefix}${NAMES[name]}` ? [value] : [];
      });
      return found.length === 1 ? (found[0] ?? null) : null;
    },
    set,
    clear: (name) => set(name, "", 0),
  };
}

/** What forms of a page carry, to show that the page came from here: only that page knows it. */
export function formToken(cookie: string): string {
  return createHash("sha256").update("form\0").update(cookie).digest("base64url");
}

export function isFormToken(given: string | undefined, cookie: string): boolean {
  const wanted = Buffer.from(formToken(cookie));
  const sent = Buffer.from(given ?? "");
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
