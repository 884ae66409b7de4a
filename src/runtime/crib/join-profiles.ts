import type { GatewayConfig } from "../../config/config.ts";
import { formatOrigin, type NameList, nameList, type Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { UsageLimit } from "../../core/limits/usage-limit.ts";
import { type Because, describeBecause } from "../../core/people/map-person.ts";
import { describePerson, type Person } from "../../core/people/person.ts";
import type { Limit } from "../../core/scene/scene.ts";
import type { Profile } from "./crib.ts";

/** What several profiles together give. */
type JoinedProfiles = Pick<Profile, "agent" | "code" | "rules" | "limits" | "usageLimits">;

const NONE: NameList = nameList([]);

/**
 * Includes unite, every exclude and rule counts (O6). Throws `agent.bound` if two of them name different agents, since
 * any choice would be a guess.
 */
export function joinProfiles(profiles: GatewayConfig["profiles"], given: ReadonlyMap<string, Because>): JoinedProfiles {
  const all = [...given].map(([name, because]) => ({ name, because, profile: findProfile(profiles, name, because) }));
  return {
    agent: onlyAgent(all),
    code: strictestCode(all),
    rules: {
      allow: all.flatMap(({ profile }) => profile.permissions?.allow ?? []),
      ask: all.flatMap(({ profile }) => profile.permissions?.ask ?? []),
      deny: all.flatMap(({ profile }) => profile.permissions?.deny ?? []),
      filters: all.flatMap(({ profile }) => profile.filters),
    },
    limits: toLimits(all),
    usageLimits: all.flatMap(({ name, profile }) => toProfileLimits(name, profile.limits)),
  };
}

/** How much may be used in a profile: what its callers share is theirs, whatever else they are given. */
export function toProfileLimits(name: string, limits: readonly UsageLimit[]): readonly UsageLimit[] {
  return limits.map((limit) => ({ ...limit, profile: name }));
}

/** The limit of somebody whom no rule gives a profile: no tools at all, with that reason. */
export function nothingFor(person: Person, origin: Origin): Limit {
  return {
    ...{ include: nameList([], origin), exclude: NONE, by: "person" },
    because: `no rule of gateway.auth.people gives ${describePerson(person)} a profile`,
    fix: `add a rule about this person to gateway.auth.people (${formatOrigin(origin)})`,
  };
}

interface Given {
  readonly name: string;
  readonly because: Because;
  readonly profile: Found;
}
type Found = NonNullable<ReturnType<GatewayConfig["profiles"]["get"]>>;

function findProfile(profiles: GatewayConfig["profiles"], name: string, { origin }: Because): Found {
  const found = profiles.get(name);
  if (found !== undefined) return found;
  const text = `${formatOrigin(origin)}: there is no gateway.profiles.${name}`;
  throw new ToolcribError("config.invalid", text, { origin, names: [name] });
}

function onlyAgent(all: readonly Given[]): string | null {
  const named = all.flatMap(({ name, because, profile }) =>
    profile.agent === null ? [] : [{ name, because, agent: profile.agent.value }],
  );
  const [first] = named;
  const other = named.find(({ agent }) => agent !== first?.agent);
  if (first === undefined || other === undefined) return first?.agent ?? null;
  const each = [first, other].map(
    ({ name, because, agent }) =>
      `${describeBecause(`profile ${JSON.stringify(name)}`, because)} with agent ${JSON.stringify(agent)}`,
  );
  throw new ToolcribError("agent.bound", `two agents for one person: ${each.join("; ")}; leave one of them out`, {
    names: [first.agent, other.agent],
    origin: other.because.origin,
  });
}

/** `off` says most clearly what somebody wanted, then `auto`. */
function strictestCode(all: readonly Given[]): Profile["code"] {
  const codes = all.flatMap(({ profile }) => profile.code ?? []);
  return codes.find(({ value }) => value === "off") ?? codes.find(({ value }) => value === "auto") ?? codes[0] ?? null;
}

/** A profile without an include list gives everything, so that uniting with it leaves nothing out. */
function toLimits(all: readonly Given[]): readonly Limit[] {
  const excludes = all.flatMap(({ name, because, profile: { exclude } }): readonly Limit[] =>
    exclude === null || exclude.value.length === 0 ? [] : [{ include: null, exclude, ...words([name], [because]) }],
  );
  const includes = all.flatMap(({ profile: { include } }) => include ?? []);
  const [first] = includes;
  if (first === undefined || includes.length < all.length) return excludes;
  const include: NameList = { value: includes.flatMap(({ value }) => value), origin: first.origin };
  const whose = words(
    all.map(({ name }) => name),
    all.map(({ because }) => because),
  );
  return [{ include, exclude: NONE, ...whose }, ...excludes];
}

function words(names: readonly string[], because: readonly Because[]): Pick<Limit, "whose" | "because" | "by"> {
  const profiles = `the ${names.join(" and ")} ${names.length === 1 ? "profile's" : "profiles'"}`;
  const why = because.map((each, at) => describeBecause(`profile ${JSON.stringify(names[at])}`, each));
  return { by: "person", whose: profiles, because: why.join("; ") };
}
