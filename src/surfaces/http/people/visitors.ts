import type { IncomingMessage } from "node:http";
import type { GatewayConfig } from "../../../config/config.ts";
import { mapPerson } from "../../../core/people/map-person.ts";
import { type Caller, describePerson } from "../../../core/people/person.ts";
import type { BrowserSessions } from "../../../runtime/people/contract.ts";
import type { Actor } from "../api/actor.ts";
import type { Cookies } from "./pages/cookies.ts";

interface VisitorOptions {
  readonly cookies: Cookies;
  readonly browsers: Pick<BrowserSessions, "find">;
  /** The rules as they are now: a role that is taken away does not count from the next request on. */
  readonly auth: () => GatewayConfig["auth"];
}

/** Who is at a browser that has logged in, with the roles that rules give them. */
export function createVisitors({ cookies, browsers, auth }: VisitorOptions) {
  return async (request: IncomingMessage): Promise<Actor | null> => {
    const cookie = cookies.read(request, "session");
    const session = cookie === null ? null : await browsers.find(cookie);
    if (session === null) return null;
    return toActor(session.caller, auth());
  };
}

/** What somebody may do who was recognised, by the rules as they are now. */
export function toActor(caller: Caller, auth: GatewayConfig["auth"]): Actor {
  const { roles, approves } = mapPerson(caller, auth?.people ?? []);
  const name = describePerson(caller);
  return { by: name, person: caller, approves, principal: name, roles: new Set(roles.keys()) };
}
