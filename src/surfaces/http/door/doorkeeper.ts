import type { IncomingMessage } from "node:http";
import type { Eventual } from "../../../core/call/eventual.ts";
import { type Actor, OWNER } from "../api/actor.ts";
import { HttpRefusal } from "../api/answers.ts";
import { createCallerAddress, isFromHere, toCallerNetwork } from "./caller-address.ts";
import { toChallenge } from "./challenge.ts";
import { checkAddress, isLocalHost, type OwnAddress, onlyHost } from "./check-address.ts";
import type { HttpLimits } from "./limits.ts";
import type { Bearer, CallerPlace, PeoplePort } from "./people-port.ts";
import {
  createPrincipals,
  type HttpAccess,
  type Principal,
  type Principals,
  readBearer,
  type TokenDigest,
  toTokenDigest,
} from "./principals.ts";
import { createRateLimit } from "./rate-limit.ts";

/** Who may connect, and how often. */
export interface Doorkeeper {
  /** Throws for a request that was meant for another server, or that comes from a foreign page if those do not count. */
  checkAddress(request: IncomingMessage, anyOrigin: boolean): void;
  /** The owner of a request; a token that nobody has seen here lately takes its time. Refuses all others. */
  admit(request: IncomingMessage): Eventual<Bearer>;
  /** Throws if it is not the main token. */
  admitMain(request: IncomingMessage): void;
  /** Who asks for what the page needs: the owner of the main token, or a person at a browser. Refuses all others. */
  admitActor(request: IncomingMessage): Eventual<Actor>;
  /** Where a request comes from. */
  placeOf(request: IncomingMessage): CallerPlace;
  /** Throws, and changes nothing, if two entries share a token. */
  setAccess(access: HttpAccess): void;
}

export interface DoorkeeperOptions {
  readonly own: OwnAddress;
  readonly access: HttpAccess;
  readonly people: PeoplePort | null;
  readonly limits: HttpLimits;
}

export function createDoorkeeper({ own, access, people, limits }: DoorkeeperOptions): Doorkeeper {
  const principals = createPrincipals(access);
  let addressOf = createCallerAddress(access.trustedProxies ?? null);
  const now = (): number => performance.now();
  const rate = createRateLimit(limits.requestsPerSecond, limits.burst, now);
  const refusals = createRateLimit(limits.refusalsPerSecond, limits.refusalBurst, now);
  const placeOf = (request: IncomingMessage): CallerPlace => ({ address: addressOf(request) });
  const metadata = people?.metadata ?? null;

  const count = <T extends Bearer>(bearer: T): T => {
    const wait = rate.take(bearer.profile.principal);
    if (wait > 0) throw tooMany(wait);
    return bearer;
  };
  /** Strangers have a limit for each of them where many people come from everywhere, else one together. */
  const strange = (request: IncomingMessage): number =>
    refusals.take(people === null ? "" : toCallerNetwork(addressOf(request)));
  const refuse = (request: IncomingMessage, metadata: string | null): HttpRefusal => {
    const wait = strange(request);
    return wait > 0 ? tooMany(wait) : toUnauthorized(request, metadata);
  };
  const findStatic = (request: IncomingMessage, digest: TokenDigest): Principal | null => {
    const principal = principals.find(digest);
    if (principal === null) return null;
    if (people !== null && principal.isMain) {
      const isTaken = isFromHere(request) && isLocalHost(onlyHost(request));
      people.noteMain(request, placeOf(request), isTaken);
      if (!isTaken) throw refuse(request, metadata);
    }
    return principal;
  };

  const admitMain = (request: IncomingMessage): void => {
    const token = readBearer(request.headers.authorization);
    const found = token === null ? null : findStatic(request, toTokenDigest(token));
    if (found === null) throw refuse(request, null);
    if (!count(found).isMain) throw new HttpRefusal(403, "http.forbidden", "this token opens /mcp and nothing else");
  };

  return {
    placeOf,
    admitMain,
    admitActor(request) {
      if (people !== null && request.headers.authorization === undefined)
        return admitVisitor(request, { people, rate, wait: () => strange(request) });
      if (people !== null) return admitOwner(request, admitMain, { people, principals, place: placeOf(request) });
      admitMain(request);
      return OWNER;
    },
    admit(request) {
      const token = readBearer(request.headers.authorization);
      if (token === null) throw refuse(request, metadata);
      const digest = toTokenDigest(token);
      const found = findStatic(request, digest);
      if (found !== null) return count(found);
      if (people === null) throw refuse(request, metadata);
      const known = people.known(token, digest);
      if (known !== null) return count(known);
      const place = placeOf(request);
      const wait = refusals.wait(toCallerNetwork(place.address));
      if (wait > 0) throw tooMany(wait);
      return people.ask(token, digest, place).then((bearer) => {
        if (bearer === null) throw refuse(request, metadata);
        return count(bearer);
      });
    },
    checkAddress(request, anyOrigin) {
      const { origin } = request.headers;
      const problem = checkAddress({ host: onlyHost(request), origin }, request.socket, own, anyOrigin);
      if (problem !== null) throw new HttpRefusal(403, problem, FOREIGN[problem]);
    },
    setAccess(next) {
      const nextAddressOf = createCallerAddress(next.trustedProxies ?? null);
      principals.replace(next);
      people?.setAccess(next);
      addressOf = nextAddressOf;
    },
  };
}

interface BearerParts {
  readonly people: PeoplePort;
  readonly principals: Pick<Principals, "find">;
  readonly place: CallerPlace;
}

function admitOwner(request: IncomingMessage, admitMain: Doorkeeper["admitMain"], parts: BearerParts): Eventual<Actor> {
  try {
    admitMain(request);
    return OWNER;
  } catch (error) {
    if (!(error instanceof HttpRefusal) || error.status === 429) throw error;
    return refuseBearer(request, error, parts);
  }
}

/** A client's token that opens `/mcp` alone and is tried elsewhere: whose it is, is in the log. */
async function refuseBearer(
  request: IncomingMessage,
  refusal: HttpRefusal,
  { people, principals, place }: BearerParts,
): Promise<never> {
  const token = readBearer(request.headers.authorization);
  if (token === null) throw refusal;
  const digest = toTokenDigest(token);
  const found = principals.find(digest) ?? people.known(token, digest) ?? (await people.ask(token, digest, place));
  if (found !== null) people.noteBearer(request, place, found.profile.principal);
  throw refusal;
}

interface VisitorParts {
  readonly people: PeoplePort;
  readonly rate: Pick<ReturnType<typeof createRateLimit>, "take">;
  /** Counts a refusal; seconds to wait if there were too many. */
  readonly wait: () => number;
}

async function admitVisitor(request: IncomingMessage, { people, rate, wait }: VisitorParts): Promise<Actor> {
  const { cookie, origin } = request.headers;
  // A page of ours says where it comes from; a form of another page would not, in an old browser.
  const isOurs = cookie !== undefined && (request.method !== "POST" || origin !== undefined);
  const actor = isOurs ? await people.visitor(request) : null;
  const seconds = actor === null ? wait() : rate.take(actor.by);
  if (seconds > 0) throw tooMany(seconds);
  if (actor !== null) return actor;
  throw new HttpRefusal(401, "http.login", "nobody has logged in with this browser");
}

const FOREIGN = {
  "http.foreign-host": "this server does not answer to that Host; ask for it by its address",
  "http.foreign-origin": "pages of other origins are not answered",
} as const;

const HINT = "; it is the one that toolcrib printed when it started, or one of gateway.clients";

function tooMany(wait: number): HttpRefusal {
  return new HttpRefusal(429, "http.too-many", "too many requests", { "retry-after": String(wait) });
}

function toUnauthorized({ headers }: IncomingMessage, metadata: string | null): HttpRefusal {
  const isMissing = headers.authorization === undefined;
  return new HttpRefusal(
    401,
    "http.unauthorized",
    isMissing
      ? "send the token as Authorization: Bearer TOKEN"
      : `the token is not known${metadata === null ? HINT : ""}`,
    toChallenge({ kind: isMissing ? "missing" : "unknown" }, metadata),
  );
}
