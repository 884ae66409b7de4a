import { nearestNames } from "../core/codes/nearest-name.ts";
import { formatOrigin, type Origin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { ToolcribError } from "../core/codes/toolcrib-error.ts";
import type { Config, ServerConfig } from "./config.ts";
import type { CredentialKind } from "./shape/credential-shape.ts";

type PeopleConfig = Pick<Config, "gateway" | "servers">;

/** Throws what no person or client could ever be given. */
export function checkPeople({ gateway, servers }: PeopleConfig): void {
  const { auth, publicUrl, clients } = gateway;
  if (auth !== null && publicUrl === null) {
    const text = "gateway.auth needs gateway.publicUrl, the address under which people and their clients reach it";
    throw new ToolcribError("config.invalid", `${formatOrigin(auth.origin)}: ${text}`, { origin: auth.origin });
  }
  for (const { profile } of clients) if (profile !== null) checkProfile(profile.value, profile.origin, gateway);
  for (const { profile, origin } of auth?.people ?? []) if (profile !== null) checkProfile(profile, origin, gateway);
  if (auth !== null && auth.login === null) for (const server of servers.values()) checkExchange(server);
}

/** A token can be exchanged only by somebody who is a client of its issuer. */
function checkExchange({ name, credentials }: ServerConfig): void {
  if (credentials?.kind !== "exchange" || credentials.client !== null) return;
  const { origin } = credentials;
  const text = `${JSON.stringify(name)} has credentials of the kind exchange, and nobody who exchanges tokens: set gateway.auth.login, or issuer and clientId beside it`;
  throw new ToolcribError("config.invalid", `${formatOrigin(origin)}: ${text}`, { origin, names: [name] });
}

/** Kinds that there are only where people log in; the same file may serve a laptop, so that it is no error. */
function noticeCredentials(servers: Config["servers"]): readonly Notice[] {
  return [...servers.values()].flatMap(({ name, credentials, enabled }): Notice[] => {
    if (credentials === null || !enabled.value || !NEEDS_PEOPLE.has(credentials.kind)) return [];
    const { kind, origin } = credentials;
    const text = `nobody can use ${JSON.stringify(name)}: its credentials are of the kind ${kind}, which needs people who log in (gateway.auth) (${formatOrigin(origin)})`;
    return [{ level: "warning", code: "credentials.need-people", text, names: [name], origin }];
  });
}

const NEEDS_PEOPLE: ReadonlySet<CredentialKind> = new Set(["key", "exchange", "signed"]);

/** What is odd about the rules for people, though each of them can be read. */
export function noticePeople({ gateway: { auth, publicUrl }, servers }: PeopleConfig): readonly Notice[] {
  if (auth === null) return noticeCredentials(servers);
  const known = [auth.login?.issuer, publicUrl?.value, ...auth.issuers.map(({ issuer }) => issuer)];
  const notices = auth.people.flatMap(({ issuer, origin }): Notice[] => {
    if (issuer === null || known.includes(issuer)) return [];
    const text = `nobody comes in from ${issuer}: it is neither gateway.auth.login nor one of gateway.auth.issuers (${formatOrigin(origin)})`;
    return [{ level: "warning", code: "auth.unknown-issuer", text, names: [issuer], origin }];
  });
  if (auth.people.some(({ roles }) => roles.includes("admin"))) return notices;
  const text = `nobody is an admin: no rule of gateway.auth.people gives that role (${formatOrigin(auth.origin)})`;
  return [...notices, { level: "info", code: "auth.no-admin", text, names: [], origin: auth.origin }];
}

function checkProfile(name: string, origin: Origin, { profiles }: Config["gateway"]): void {
  if (profiles.has(name)) return;
  const [nearest] = nearestNames(name, profiles.keys());
  const advice = nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
  const text = `${formatOrigin(origin)}: gateway.profiles has no ${JSON.stringify(name)}${advice}`;
  throw new ToolcribError("config.invalid", text, { origin, names: [name] });
}
