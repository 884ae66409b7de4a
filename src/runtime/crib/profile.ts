import { createHash } from "node:crypto";
import type { Config, GatewayConfig } from "../../config/config.ts";
import { defaultOrigin, formatOrigin, nameList, type Origin, sourced } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { mapPerson } from "../../core/people/map-person.ts";
import { accessKey, type Caller, describePerson } from "../../core/people/person.ts";
import type { Limit } from "../../core/scene/scene.ts";
import type { CribView, Narrowing, Profile } from "./crib.ts";
import { joinProfiles, nothingFor } from "./join-profiles.ts";

const NOTHING_ASKED: Narrowing = { agent: null, include: null, exclude: [], code: null };

/** The profile for the gateway's own token, or for its owner. */
export function mainProfile(principal = "main"): Profile {
  const nothing = { agent: null, code: null, rules: null, caller: null, limits: [], usageLimits: [] };
  return { principal, key: MAIN, ...nothing, asked: NOTHING_ASKED };
}

/** A client's name for people who decide: it names itself as it likes, so the label of its token is shown too. */
export function describeView({ label, principal }: Pick<CribView, "label" | "principal">): string {
  return principal === "main" || principal === label ? label : `${label} (${principal})`;
}

/** The profile of an entry in `gateway.clients`, for its token or its name; what it names in `gateway.profiles` is part of it. */
export function clientProfile(
  client: GatewayConfig["clients"][number],
  principal: string,
  profiles: GatewayConfig["profiles"] = new Map(),
): Profile {
  const { name, token, agent, include, exclude, code, profile } = client;
  const key = createHash("sha256")
    .update(token ?? `name ${name}`)
    .digest("hex");
  const own = include === null && exclude.value.length === 0 ? [] : [{ include, exclude }];
  const named = profile && new Map([[profile.value, { ...profile, found: `client ${JSON.stringify(principal)}` }]]);
  const given = named && joinProfiles(profiles, named);
  return {
    ...{ principal, key, caller: null, asked: NOTHING_ASKED },
    agent: agent?.value ?? given?.agent ?? null,
    code: code ?? given?.code ?? null,
    rules: given?.rules ?? null,
    limits: [...own, ...(given?.limits ?? [])],
    ...(named === null ? {} : { given: named }),
    usageLimits: given?.usageLimits ?? [],
  };
}

/** The profile of a person who uses a client: what the rules of the configuration give them, and no more (O6). */
export function personProfile(
  { gateway }: { readonly gateway: Pick<GatewayConfig, "auth" | "profiles"> },
  caller: Caller,
  authorization: string | null = null,
): Profile {
  const { profiles } = mapPerson(caller, gateway.auth?.people ?? []);
  const given = joinProfiles(gateway.profiles, profiles);
  const own = {
    ...{ principal: describePerson(caller), key: accessKey(caller), caller, authorization, asked: NOTHING_ASKED },
  };
  const limits = profiles.size === 0 ? [nothingFor(caller, gateway.auth?.origin ?? defaultOrigin)] : given.limits;
  return { ...own, ...given, limits, given: profiles };
}

/** The key of the gateway's own token. */
export const MAIN = "main";
const MOST_NAMES = 500;

/**
 * The profile with what a client asks for in addition; `agent.bound` if it asks for an agent that its token forbids.
 */
export function narrowProfile(profile: Profile, asked: Partial<Narrowing>): Profile {
  const { agent = null, include = null, exclude = [], code = null } = asked;
  if (agent !== null && profile.agent !== null && agent !== profile.agent) throw bound(agent, profile.agent);
  if ((include?.length ?? 0) + exclude.length > MOST_NAMES)
    throw new ToolcribError("client.invalid", `a client may name at most ${MOST_NAMES} tools`, { names: [] });
  const limit: Limit = {
    include: include === null ? null : nameList(include, from("?include=")),
    exclude: nameList(exclude, from("?exclude=")),
  };
  const isEmpty = include === null && exclude.length === 0;
  return {
    principal: profile.principal,
    key: profile.key,
    agent: profile.agent ?? agent,
    code: profile.code,
    rules: profile.rules,
    caller: profile.caller,
    authorization: profile.authorization ?? null,
    ...(profile.given === undefined ? {} : { given: profile.given }),
    limits: isEmpty ? profile.limits : [...profile.limits, limit],
    usageLimits: profile.usageLimits,
    asked: { agent, include, exclude, code },
  };
}

/** The profile in another configuration; null if the token is no longer known, or forbids what was asked for. */
export function renewProfile(profile: Profile, { gateway }: Config): Profile | null {
  const { asked, caller, authorization } = profile;
  const known =
    caller === null ? findEntry(profile, gateway) : gateway.auth && personProfile({ gateway }, caller, authorization);
  if (known === null) return null;
  if (known.agent !== null && asked.agent !== null && known.agent !== asked.agent) return null;
  return narrowProfile(known, asked);
}

function findEntry({ key, principal }: Profile, { clients, profiles }: GatewayConfig): Profile | null {
  if (key === MAIN) return mainProfile(principal);
  return clients.map((client) => clientProfile(client, principal, profiles)).find((entry) => entry.key === key) ?? null;
}

/** The configuration for this client; a configured agent cannot be replaced by the client. */
export function toViewConfig(config: Config, profile: Profile): Config {
  const code = codeOf(config, profile);
  return withAgent(withRules(code === config.code ? config : { ...config, code }, profile), profile);
}

/** A profile's filters, deny and ask rules come on top; its allow rules are weaker than any of these, as everywhere. */
function withRules(config: Config, { rules }: Profile): Config {
  if (rules === null) return config;
  const { permissions, filters } = config;
  return {
    ...config,
    filters: rules.filters.length === 0 ? filters : [...filters, ...rules.filters],
    permissions: {
      ...permissions,
      allow: [...permissions.allow, ...rules.allow],
      ask: [...permissions.ask, ...rules.ask],
      deny: [...permissions.deny, ...rules.deny],
    },
  };
}

/**
 * The same for a client that is already connected: if code was turned off in the meantime, it continues with single
 * calls.
 */
export function toFollowedConfig(config: Config, profile: Profile): Config {
  const isOff = (profile.code ?? config.code).value === "off";
  return toViewConfig(config, isOff ? { ...profile, asked: { ...profile.asked, code: null } } : profile);
}

/** A client may choose between code and single calls if code is not off (K5). */
function codeOf(config: Config, { code, asked }: Profile): Config["code"] {
  const own = code ?? config.code;
  if (asked.code === null) return own;
  if (!asked.code) return sourced("off", from("?code="));
  if (own.value !== "off") return sourced("on", from("?code="));
  const text = `?code=1 asks to call tools from code, and code is off (${formatOrigin(own.origin)})`;
  throw new ToolcribError("client.invalid", text, { names: [], origin: own.origin });
}

function withAgent(config: Config, { agent, asked }: Profile): Config {
  if (agent === null) return config;
  if (agent === asked.agent && config.agent !== null && config.agent.value !== agent)
    throw bound(agent, config.agent.value);
  return { ...config, agent: sourced(agent, from(agent === asked.agent ? "?agent=" : "the client's token")) };
}

function bound(agent: string, to: string): ToolcribError {
  const text = `this client works as agent ${JSON.stringify(to)} and may not become ${JSON.stringify(agent.slice(0, 60))}`;
  return new ToolcribError("agent.bound", text, { names: [to] });
}

function from(call: string): Origin {
  return { kind: "call", call };
}
