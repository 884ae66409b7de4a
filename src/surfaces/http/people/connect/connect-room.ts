import type { IncomingMessage } from "node:http";
import type { Caller } from "../../../../core/people/person.ts";
import type { ConnectAttempts } from "../../../../runtime/credentials/connect-attempts.ts";
import type { ConnectLinks } from "../../../../runtime/credentials/connect-links.ts";
import type { UpstreamCredentials, UpstreamServer } from "../../../../runtime/credentials/contract.ts";
import type { UpstreamClients } from "../../../../runtime/credentials/upstream-clients.ts";
import type { BrowserSession, BrowserSessions, PeopleNote } from "../../../../runtime/people/contract.ts";
import { HttpRefusal } from "../../api/answers.ts";
import type { Cookies } from "../pages/cookies.ts";

/** What is needed of the rest of the gateway for people to log in at servers. */
export interface ConnectPorts {
  readonly credentials: Pick<UpstreamCredentials, "of" | "loginStore" | "putKey" | "list" | "forget">;
  readonly links: Pick<ConnectLinks, "find" | "use">;
  readonly attempts: ConnectAttempts;
  readonly clients: UpstreamClients;
  /** The servers at which people have logins or keys of their own, as configured now. */
  readonly servers: () => readonly UpstreamServer[];
  /** Whether somebody is given anything of a server, by its name. */
  readonly givenTo: (caller: Caller) => (server: string) => boolean;
}

export interface ConnectRoom extends ConnectPorts {
  /** An origin. */
  readonly publicUrl: string;
  readonly cookies: Cookies;
  readonly browsers: Pick<BrowserSessions, "find">;
  /** Where somebody logs in who is to come back to this path of ours. */
  readonly loginAddress: (back: string) => string;
  readonly log: (note: PeopleNote) => void;
  readonly onError: (text: string, error: unknown) => void;
}

/** The path of forms about a server, and of its page. */
export const CONNECT_FORM = "/connect";
/** Where authorization servers send browsers back to. */
export const CONNECT_CALLBACK = "/connect/callback";
/** Our description of ourselves, for authorization servers that read such documents. */
export const CLIENT_PATH = "/oauth/client.json";
/** Where somebody sees their own logins. */
export const OWN_PAGE = "/me";

/** Somebody at a browser that has logged in. */
export interface Visitor {
  readonly session: BrowserSession;
  readonly cookie: string;
}

export async function visitorOf({ cookies, browsers }: ConnectRoom, request: IncomingMessage): Promise<Visitor | null> {
  const cookie = cookies.read(request, "session");
  const session = cookie === null ? null : await browsers.find(cookie);
  return cookie === null || session === null ? null : { session, cookie };
}

/** What is at a path without a server of that name, or without one that this person is given: the same answer. */
export function findOwnServer(room: ConnectRoom, name: string | undefined, caller: Caller): UpstreamServer {
  const server = room.servers().find((each) => each.name === name);
  if (server !== undefined && room.givenTo(caller)(server.name)) return server;
  throw new HttpRefusal(404, "http.not-found", "there is no server of that name where you could log in");
}

/** Null for a process, and for an API without an address of its own. */
export function placeOf({ transport }: UpstreamServer): URL | null {
  if (transport.type === "stdio") return null;
  return URL.canParse(transport.url) ? new URL(transport.url) : null;
}
