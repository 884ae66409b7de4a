import type { IncomingMessage } from "node:http";
import { HttpRefusal } from "../api/answers.ts";
import { checkAddress, onlyHost } from "./check-address.ts";
import type { HttpLimits } from "./limits.ts";
import { createPrincipals, type HttpAccess, type Principal } from "./principals.ts";
import { createRateLimit } from "./rate-limit.ts";

/** Who may connect, and how often. */
export interface Doorkeeper {
  /** Throws for a request that was meant for another server, or that comes from a foreign page. */
  checkAddress(request: IncomingMessage): void;
  /** The owner of a request. Throws if there is none, and for one request too many. */
  admit(request: IncomingMessage): Principal;
  /** The same if only the main token counts. */
  admitMain(request: IncomingMessage): void;
  /** Throws, and changes nothing, if two entries share a token. */
  setAccess(access: HttpAccess): void;
}

export function createDoorkeeper(host: string, access: HttpAccess, limits: HttpLimits): Doorkeeper {
  const principals = createPrincipals(access);
  const now = (): number => performance.now();
  const rate = createRateLimit(limits.requestsPerSecond, limits.burst, now);
  const refusals = createRateLimit(limits.refusalsPerSecond, limits.refusalBurst, now);
  const admit = (request: IncomingMessage): Principal => {
    const principal = principals.find(request.headers.authorization);
    const wait = principal === null ? refusals.take("") : rate.take(principal.profile.principal);
    if (wait > 0) throw new HttpRefusal(429, "http.too-many", "too many requests", { "retry-after": String(wait) });
    if (principal === null) throw toUnauthorized(request);
    return principal;
  };
  return {
    admit,
    admitMain(request) {
      if (!admit(request).isMain)
        throw new HttpRefusal(403, "http.forbidden", "this token opens /mcp and nothing else");
    },
    checkAddress(request) {
      const { origin } = request.headers;
      const problem = checkAddress({ host: onlyHost(request), origin }, request.socket, host);
      if (problem !== null) throw new HttpRefusal(403, problem, FOREIGN[problem]);
    },
    setAccess: principals.replace,
  };
}

const FOREIGN = {
  "http.foreign-host": "this server does not answer to that Host; ask for it by its address",
  "http.foreign-origin": "pages of other origins are not answered",
} as const;

function toUnauthorized({ headers }: IncomingMessage): HttpRefusal {
  const isMissing = headers.authorization === undefined;
  return new HttpRefusal(
    401,
    "http.unauthorized",
    isMissing
      ? "send the token as Authorization: Bearer TOKEN"
      : "the token is not known; it is the one that toolcrib printed when it started, or one of gateway.clients",
    { "www-authenticate": isMissing ? 'Bearer realm="toolcrib"' : 'Bearer realm="toolcrib", error="invalid_token"' },
  );
}
