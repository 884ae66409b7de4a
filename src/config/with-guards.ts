import type { Notice } from "../core/codes/reason.ts";
import type { Limit } from "../core/scene/scene.ts";
import type { Config } from "./config.ts";
import { withOff } from "./to-config.ts";
import { trustNotices } from "./trust/trust.ts";

/** A configuration found next to a program, and how much of it counts. */
export interface FoundGuards {
  readonly config: Config;
  /** Its servers too; else only what it removes. */
  readonly brings: "servers" | "nothing";
}

/**
 * The options of a program, and what a found configuration removes from them: rules that deny and ask, lists, hooks,
 * lock, a sandbox. What it would add does not count, except its servers if the program wants them, and the search engine,
 * the memory, the schedules and the agent looking on that a person set up. An include list says nothing about tools in the program's own code, whose names its
 * author could not know.
 */
export function withGuards(config: Config, { config: found, brings }: FoundGuards): Config {
  const { permissions } = config;
  const servers = brings === "servers" ? new Map([...found.servers, ...config.servers]) : config.servers;
  const looking = withSidekick(config, found);
  const disabled = found.disabledServers;
  return {
    ...config,
    ...withOff({ servers }, disabled),
    agents: new Map([...looking.agents].map(([name, agent]) => [name, withOff(agent, disabled)])),
    permissions: {
      ...permissions,
      deny: joined(found.permissions.deny, permissions.deny),
      ask: joined(found.permissions.ask, permissions.ask),
    },
    hooks: withHooks(config, found),
    filters: joined(found.filters, config.filters),
    disabledSkills: {
      ...config.disabledSkills,
      value: joined(found.disabledSkills.value, config.disabledSkills.value),
    },
    limits: [...config.limits, ...toLimits(found)],
    sandbox: withSandbox(config.sandbox, found.sandbox),
    search: { ...config.search, web: config.search.web ?? found.search.web },
    memoryServer: config.memoryServer ?? found.memoryServer,
    features: withFeatures(config.features, found.features),
    sidekick: looking.sidekick,
    lock: found.lock,
    hostFiles: found.hostFiles,
    ...(brings === "servers"
      ? { trust: found.trust, notices: [...config.notices, ...found.notices] }
      : { notices: [...config.notices, ...guardNotices(found)] }),
  };
}

/** Of what waits for trust only hooks are missed: nothing else would count anyway. */
function guardNotices({ trust, notices }: Config): readonly Notice[] {
  const items = trust.items.filter(
    ({ path, of = [] }) => path.startsWith("hooks") || of.some((entry) => entry.startsWith("hook ")),
  );
  return [...notices.filter(({ code }) => code !== "config.untrusted"), ...trustNotices({ ...trust, items })];
}

/** Managed policy is in both, and counts once. */
function joined<T extends { readonly origin: object }>(found: readonly T[], own: readonly T[]): readonly T[] {
  const known = new Set(own.map((one) => JSON.stringify(one)));
  return [...found.filter((one) => !known.has(JSON.stringify(one))), ...own];
}

function withHooks({ hooks }: Config, found: Config): Config["hooks"] {
  const all = new Map(hooks);
  for (const [event, more] of found.hooks) all.set(event, joined(more, all.get(event) ?? []));
  return all;
}

/** Features of the person's that an app may have too, unless it says otherwise itself. */
const SHARED: readonly string[] = ["memory", "schedule"];

function withFeatures(own: Config["features"], found: Config["features"]): Config["features"] {
  return new Map([...[...found].filter(([name]) => SHARED.includes(name)), ...own]);
}

/** An agent of the person's that looks on comes with it; nobody can start it otherwise. */
function withSidekick({ sidekick, agents }: Config, found: Config): Pick<Config, "sidekick" | "agents"> {
  const name = sidekick ?? found.sidekick;
  if (name === null || sidekick !== null || agents.has(name)) return { sidekick: name, agents };
  const agent = found.agents.get(name);
  if (agent === undefined) return { sidekick: null, agents };
  return { sidekick: name, agents: new Map([...agents, [name, { ...agent, description: null }]]) };
}

function toLimits({ includeTools, excludeTools, limits }: Config): readonly Limit[] {
  const own: Limit = { include: includeTools, exclude: excludeTools, by: "project" };
  const waiting = limits.filter(({ by }) => by === "project");
  return [own, ...waiting]
    .filter(({ include, exclude }) => include !== null || exclude.value.length > 0)
    .map(besideCode);
}

function besideCode({ include, ...limit }: Limit): Limit {
  if (include === null) return { ...limit, include };
  return {
    ...limit,
    include: { ...include, value: [...include.value, { value: "custom:*", origin: include.origin }] },
  };
}

/** Only what somebody wrote, and only if it is stricter. */
function withSandbox(own: Config["sandbox"], found: Config["sandbox"]): Config["sandbox"] {
  const noHost = !found.allowHostShell.value && found.allowHostShell.origin.kind !== "default";
  return {
    ...own,
    ...(found.shell.value === "on" ? { shell: found.shell } : {}),
    ...(noHost ? { allowHostShell: found.allowHostShell } : {}),
  };
}
