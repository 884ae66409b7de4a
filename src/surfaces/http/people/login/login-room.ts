import type { IncomingMessage, ServerResponse } from "node:http";
import type { Attempts } from "../../../../runtime/people/attempts.ts";
import { newSecret } from "../../../../runtime/people/attempts.ts";
import { BROWSER_SESSION_LIFE } from "../../../../runtime/people/browser-sessions.ts";
import type {
  Authorizations,
  BrowserSession,
  BrowserSessions,
  PeopleNote,
  PeopleRows,
} from "../../../../runtime/people/contract.ts";
import type { Invitations } from "../../../../runtime/people/invitations.ts";
import type { LoginProvider } from "../../../../runtime/people/issuers/login-provider.ts";
import type { Passkeys } from "../../../../runtime/people/passkeys/passkeys.ts";
import { HttpRefusal } from "../../api/answers.ts";
import type { Cookies } from "../pages/cookies.ts";

/** What the paths of the login work with. */
export interface LoginRoom {
  /** An origin. */
  readonly publicUrl: string;
  /** Null: people log in with passkeys alone. */
  readonly provider: LoginProvider | null;
  readonly browsers: BrowserSessions;
  readonly people: PeopleRows;
  readonly authorizations: Authorizations;
  readonly attempts: Attempts;
  readonly invitations: Invitations;
  readonly passkeys: Passkeys;
  readonly cookies: Cookies;
  readonly log: (note: PeopleNote) => void;
  readonly onError: (text: string, error: unknown) => void;
}

/** Where a browser goes that does not say where it wants to go. */
const HOME = "/login";
const LONGEST_PATH = 4_096;
/** Seconds. */
const LOGIN_COOKIE = 900;

/** A path of this gateway, for a browser to go on at; anything else is the page that says who is logged in. */
export function toOwnPath(given: string | undefined, publicUrl: string): string {
  if (given === undefined || !given.startsWith("/") || given.length > LONGEST_PATH) return HOME;
  // Browsers take a backslash for a slash, and leave out tabs and line feeds.
  if (/^\/[/\\]|[\\\p{Cc}\p{Cf}]/u.test(given) || !URL.canParse(given, publicUrl)) return HOME;
  const url = new URL(given, publicUrl);
  return url.origin === publicUrl ? url.pathname + url.search : HOME;
}

/** The address that leads back there after a login. */
export function loginAddress(goOn: string): string {
  return goOn === HOME ? HOME : `${HOME}?${new URLSearchParams({ back: goOn })}`;
}

/** The secret of a browser that logs in, which it gets on the way if it has none. */
export function loginSecret({ cookies }: Pick<LoginRoom, "cookies">, request: IncomingMessage) {
  const known = cookies.read(request, "login");
  const secret = known !== null && /^[\w-]{43}$/.test(known) ? known : newSecret();
  return { secret, cookie: cookies.set("login", secret, LOGIN_COOKIE) };
}

/** Who is logged in with a browser. */
export async function whoIs(
  { cookies, browsers }: Pick<LoginRoom, "cookies" | "browsers">,
  request: IncomingMessage,
): Promise<{ readonly session: BrowserSession; readonly cookie: string } | null> {
  const cookie = cookies.read(request, "session");
  const session = cookie === null ? null : await browsers.find(cookie);
  return cookie === null || session === null ? null : { session, cookie };
}

/** Logs a browser in, always under a new cookie, and ends what it had before. */
export async function letIn(
  { browsers, cookies }: Pick<LoginRoom, "browsers" | "cookies">,
  request: IncomingMessage,
  ...given: Parameters<BrowserSessions["open"]>
): Promise<string> {
  const before = cookies.read(request, "session");
  const cookie = await browsers.open(...given);
  if (before !== null) await browsers.end({ cookie: before });
  return cookies.set("session", cookie, BROWSER_SESSION_LIFE / 1_000);
}

export function onlyMethod(request: IncomingMessage, ...methods: readonly string[]): void {
  if (methods.includes(request.method ?? "")) return;
  const allow = methods.join(", ");
  throw new HttpRefusal(405, "http.method", `only ${allow} is answered here`, { allow });
}

export type PathAnswer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
