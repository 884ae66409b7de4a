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
  checkApprovals(gateway);
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
export function noticePeople({ gateway: { auth, publicUrl, approvals }, servers }: PeopleConfig): readonly Notice[] {
  if (auth === null) return noticeCredentials(servers);
  const known = [auth.login?.issuer, publicUrl?.value, ...auth.issuers.map(({ issuer }) => issuer)];
  const notices = auth.people.flatMap(({ issuer, origin }): Notice[] => {
    if (issuer === null || known.includes(issuer)) return [];
    const text = `nobody comes in from ${issuer}: it is neither gateway.auth.login nor one of gateway.auth.issuers (${formatOrigin(origin)})`;
    return [{ level: "warning", code: "auth.unknown-issuer", text, names: [issuer], origin }];
  });
  notices.push(...noticeApprovers(auth.people, approvals, servers));
  if (auth.people.some(({ roles }) => roles.includes("admin"))) return notices;
  const text = `nobody is an admin: no rule of gateway.auth.people gives that role (${formatOrigin(auth.origin)})`;
  return [...notices, { level: "info", code: "auth.no-admin", text, names: [], origin: auth.origin }];
}

/** Without people nobody could answer where these settings lead. */
function checkApprovals({ auth, approvals }: Config["gateway"]): void {
  const wrong = (origin: Origin, text: string): never => {
    throw new ToolcribError("config.invalid", `${formatOrigin(origin)}: ${text}`, { origin });
  };
  const { fourEyes, to, slack, origin } = approvals;
  if (auth === null && (fourEyes === "all" || fourEyes.length > 0))
    wrong(origin, "gateway.approvals.fourEyes needs gateway.auth: without it nobody is known, so nobody could answer");
  if (auth === null && (to.length > 0 || slack !== null))
    wrong(origin, "gateway.approvals.to and .slack need gateway.auth: who answers has to log in");
  for (const told of to)
    if (told.slack !== null && slack === null)
      wrong(told.origin, "a Slack channel needs gateway.approvals.slack with the app's token and signing secret");
}

/** Nobody would answer, or rules are about what is not there. */
function noticeApprovers(
  people: NonNullable<Config["gateway"]["auth"]>["people"],
  { value, fourEyes, to, origin }: Config["gateway"]["approvals"],
  known: Config["servers"],
): readonly Notice[] {
  const unknown = [
    ...people.flatMap((rule) => (rule.servers ?? []).map((name) => ({ name, origin: rule.origin }))),
    ...to.flatMap((told) => (told.servers ?? []).map((name) => ({ name, origin: told.origin }))),
    ...(fourEyes === "all" ? [] : fourEyes.map((name) => ({ name, origin }))),
  ].filter(({ name }) => !known.has(name));
  const notices = unknown.map(({ name, origin: where }): Notice => {
    const text = `there is no server ${JSON.stringify(name)}, so what is said about approvals of its calls is about none (${formatOrigin(where)})`;
    return { level: "warning", code: "auth.unknown-server", text, names: [name], origin: where };
  });
  const isAsked = value === "approvers" || to.length > 0 || fourEyes === "all" || fourEyes.length > 0;
  if (!isAsked || people.some(({ roles }) => roles.includes("approver"))) return notices;
  const text = `nobody is an approver: no rule of gateway.auth.people gives that role (${formatOrigin(origin)})`;
  return [...notices, { level: "warning", code: "auth.no-approver", text, names: [], origin }];
}

function checkProfile(name: string, origin: Origin, { profiles }: Config["gateway"]): void {
  if (profiles.has(name)) return;
  const [nearest] = nearestNames(name, profiles.keys());
  const advice = nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
  const text = `${formatOrigin(origin)}: gateway.profiles has no ${JSON.stringify(name)}${advice}`;
  throw new ToolcribError("config.invalid", text, { origin, names: [name] });
}
