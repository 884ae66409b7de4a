import { isRecord } from "../shape/is-record.ts";
import type { Caller } from "./person.ts";

type Claims = Readonly<Record<string, unknown>>;

export interface ClaimNames {
  /** The issuer, exactly as the configuration names it. */
  readonly issuer: string;
  /** The claim with people groups; a dot leads inside, where there is no claim with the whole name. */
  readonly groups: string;
  /** Claims that rules ask about. */
  readonly asked: readonly string[];
}

export interface ReadCaller {
  readonly caller: Omit<Caller, "client">;
  /** Whether the token says anything about people groups. */
  readonly hasGroups: boolean;
  /** Why people groups are missing, for those who look after the gateway. */
  readonly problem: string | null;
}

/** What differs between providers, by their issuer. The first that fits counts. */
interface Quirk {
  readonly is: RegExp;
  /** Claims that name the person, instead of `sub`; all of them must be there. */
  readonly subject?: readonly string[];
  /** Further claims with people groups. */
  readonly groups?: readonly string[];
  /** What groups begin with there. */
  readonly prefix?: string;
  /** Parameters of the address to log in at, without which there is no refresh token. */
  readonly login?: Readonly<Record<string, string>>;
}

const QUIRKS: readonly Quirk[] = [
  {
    // Entra: `sub` is another one for each application. Roles of the application are names, groups are GUIDs.
    is: /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)\//,
    subject: ["oid", "tid"],
    groups: ["roles"],
  },
  // Keycloak writes a group as its path.
  { is: /^https?:\/\/[^/]+(?:\/[^/]+)*\/realms\/[^/]+$/, prefix: "/" },
  // Google knows no groups, and this instead of a scope; `hd` is the company.
  { is: /^https:\/\/accounts\.google\.com$/, login: { access_type: "offline", prompt: "consent" } },
];

/** Letters of one group or value, and how many there may be: a person is a row in the store. */
const LONGEST = 256;
const MOST = 1_000;

/**
 * Somebody, as claims describe them; null if they name nobody. `more` are claims from elsewhere, which count for what
 * the first ones leave out.
 */
export function readClaims(claims: Claims, names: ClaimNames, more: Claims = {}): ReadCaller | null {
  const { issuer } = names;
  const quirk = quirkOf(issuer);
  const subject = toSubject(claims, quirk?.subject);
  if (subject === null) return null;
  const find = (name: string): unknown => claimAt(claims, name) ?? claimAt(more, name);
  const own = find(names.groups);
  const others = (quirk?.groups ?? []).filter((name) => name !== names.groups).map(find);
  const problem = isLeftOut(claims, names.groups)
    ? "has more people groups than the token may hold; assign groups to the application there, or give it app roles"
    : null;
  const all = unique([own, ...others].flatMap(toTexts).map((group) => withoutPrefix(group, quirk?.prefix)));
  const isTooMany = all.length > MOST;
  return {
    caller: {
      ...{ issuer, subject, groups: isTooMany ? [] : all },
      claims: names.asked.flatMap((name): Caller["claims"] => {
        const values = toTexts(find(name)).slice(0, MOST);
        return values.length === 0 ? [] : [[name, values]];
      }),
      name: toShown(find("name")) ?? toShown(find("preferred_username")),
      email: find("email_verified") === true ? toShown(find("email")) : null,
    },
    hasGroups: own !== undefined || others.some((each) => each !== undefined),
    problem: isTooMany ? `has more than ${MOST} people groups, so none of them count; send fewer` : problem,
  };
}

/** What the address to log in at needs besides the standard. */
export function loginParameters(issuer: string): Readonly<Record<string, string>> {
  return quirkOf(issuer)?.login ?? {};
}

function quirkOf(issuer: string): Quirk | undefined {
  return QUIRKS.find(({ is }) => is.test(issuer));
}

/** The tenant is part of the issuer, so that the object's id alone names the person. */
function toSubject(claims: Claims, wanted: readonly string[] = ["sub"]): string | null {
  const found = wanted.every((name) => isId(claims[name])) ? claims[wanted[0] ?? "sub"] : claims.sub;
  return isId(found) ? found : null;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST;
}

function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (!isRecord(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** Entra sends a link in the place of too many groups. */
function isLeftOut(claims: Claims, groups: string): boolean {
  const elsewhere = claims._claim_names;
  return claims.hasgroups === true || (isRecord(elsewhere) && Object.hasOwn(elsewhere, groups));
}

function toTexts(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => {
    if (typeof each === "number" || typeof each === "boolean") return [String(each)];
    return isId(each) ? [each] : [];
  });
}

function withoutPrefix(group: string, prefix: string | undefined): string {
  return prefix !== undefined && group.startsWith(prefix) ? group.slice(prefix.length) : group;
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== "");
}

/** One line, of sensible length. */
function toShown(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
  return text === "" ? null : text.slice(0, LONGEST);
}
