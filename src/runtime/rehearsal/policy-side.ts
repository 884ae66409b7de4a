import type { Config } from "../../config/config.ts";
import { serversOf } from "../../config/servers-of.ts";
import { toOverrides } from "../../config/to-overrides.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { buildOverriddenCatalog } from "../../core/catalog/override-tools.ts";
import { defaultOrigin, formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { findOff } from "../../core/gates/builtins.ts";
import { mapPerson } from "../../core/people/map-person.ts";
import type { Scene } from "../../core/scene/scene.ts";
import { isBuiltin, isUntrusted, type Tool } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Placement, Toolset } from "../../core/toolset/toolset.ts";
import { chooseBuiltins } from "../../sources/builtin/choose-builtins.ts";
import type { KeptList } from "../audit/kept-lists.ts";
import { toAskedScene } from "../crib/asked-scene.ts";
import type { Profile } from "../crib/crib.ts";
import { gatewayBuiltins } from "../crib/gateway-builtins.ts";
import { clientProfile, mainProfile, personProfile, toViewConfig } from "../crib/profile.ts";
import { readArguments } from "../executor/read-arguments.ts";
import { foretellFilters } from "../filters/call-filters.ts";
import type { GrantStore } from "../permissions/grant-store.ts";
import { foretell } from "../permissions/permissions.ts";
import { createRuleBook, type RuleBook } from "../permissions/rule-book.ts";
import type { RuleSetting } from "../permissions/ruling.ts";
import { createRuleSettings } from "../session/calls/call-rules.ts";
import { createSessionSandbox } from "../session/calls/session-sandbox.ts";
import { isTrustedServer } from "../session/sources/trusted-server.ts";
import type { PastCall, PastCaller } from "./past-calls.ts";

/** What is the same under every policy. */
export interface RehearsalPlace {
  /** What this machine offers: sandbox, skills, pins. */
  readonly base: Scene;
  readonly workspace: string;
  readonly home: string;
  readonly path: string;
  readonly grants: GrantStore;
  readonly now: () => number;
}

/** What becomes of a call under a policy. */
export interface CallVerdict {
  readonly outcome: "allow" | "ask" | "deny" | "hidden";
  readonly code: string;
  /** May repeat arguments. */
  readonly text: string;
  readonly origin: string;
}

/** One configuration, asked about many calls and people. */
export interface PolicySide {
  readonly config: Config;
  /** Null if there is no such tool on the list. */
  judge(call: PastCall, list: KeptList): Promise<CallVerdict | null>;
  /** The tools of a list that somebody gets, by identity. */
  given(who: PastCaller, list: KeptList): Promise<ReadonlySet<string>>;
}

/** Everybody who is given the same. */
interface Group {
  readonly config: Config;
  readonly profile: Profile;
  /** By list, and whether it is a session of one's own or a client's view. */
  readonly placed: Map<string, Placed>;
}

interface Placed {
  readonly toolset: Toolset;
  readonly byIdentity: ReadonlyMap<string, Placement>;
  readonly finders: readonly Entry[];
  readonly rules: () => RuleSetting;
  readonly book: RuleBook;
}

/** The name of a tool in rules, for the one that a call had. */
export function nameInRules(tool: string, list: KeptList | undefined): string {
  return list?.names.get(tool) ?? tool;
}

export function createPolicySide(config: Config, place: RehearsalPlace): PolicySide {
  const groups = new Map<string, Group>();
  const groupOf = (who: PastCaller): Group => {
    const key = keyOf(who, config);
    const known = groups.get(key) ?? openGroup(who, config);
    groups.set(key, known);
    return known;
  };
  const placeIn = async (group: Group, list: KeptList, isOwn: boolean): Promise<Placed> => {
    const key = `${list.hash} ${isOwn}`;
    const known = group.placed.get(key) ?? (await placeList(group, list, isOwn, place));
    group.placed.set(key, known);
    return known;
  };
  return {
    config,
    async judge(call, list) {
      const identity = nameInRules(call.tool, list);
      try {
        const group = groupOf(call.who);
        const placed = await placeIn(group, list, false);
        const found = await judgeIn(placed, identity, call, group);
        // Calls of agents that run here are in the same log, and have built-in tools that clients lack.
        const isOff = found?.code === "builtin.off" && call.who.kind === "main";
        return isOff ? await judgeIn(await placeIn(group, list, true), identity, call, group) : found;
      } catch (error) {
        return refusedBy(error);
      }
    },
    async given(who, list) {
      try {
        const group = groupOf(who);
        const { toolset } = await placeIn(group, list, false);
        const own = toolset.placements.filter(({ standing, entry }) => standing !== "hidden" && isThere(entry, group));
        return new Set(own.map(({ entry }) => entry.identity));
      } catch (error) {
        refusedBy(error);
        return new Set();
      }
    },
  };
}

/** What keeps somebody from every tool is an answer, and anything else a bug. */
function refusedBy(error: unknown): CallVerdict {
  if (!isToolcribError(error)) throw error;
  const origin = error.origin === null ? "" : formatOrigin(error.origin);
  return { outcome: "hidden", code: error.code, text: error.message, origin };
}

/** People whose rules give the same profiles are given the same. */
function keyOf(who: PastCaller, { gateway }: Config): string {
  if (who.kind === "main") return "main";
  if (who.kind === "client") return JSON.stringify(["client", who.name]);
  return JSON.stringify(["people", [...mapPerson(who.caller, gateway.auth?.people ?? []).profiles.keys()].sort()]);
}

function openGroup(who: PastCaller, config: Config): Group {
  const profile = profileOf(who, config);
  return { config: toViewConfig(config, profile), profile, placed: new Map() };
}

function profileOf(who: PastCaller, { gateway }: Config): Profile {
  if (who.kind === "main") return mainProfile();
  if (who.kind === "person") return personProfile({ gateway }, who.caller);
  const client = gateway.clients.find(({ name }) => name === who.name);
  // Tokens have no place in the log, so one without a name cannot be told from the gateway's own.
  return client === undefined ? mainProfile(who.name) : clientProfile(client, who.name, gateway.profiles);
}

/** Lists of one configuration are the same catalog for all groups with the same built-in tools. */
async function placeList(
  { config, profile }: Group,
  list: KeptList,
  isOwn: boolean,
  { base, workspace, home, path, grants, now }: RehearsalPlace,
): Promise<Placed> {
  const builtins = isOwn ? base.builtins : chooseBuiltins(gatewayBuiltins(config)).builtins;
  const scene = toAskedScene(config, { ...base, builtins, limits: [] }, profile.limits);
  const { catalog } = buildOverriddenCatalog(list.tools, toOverrides(config), {
    style: config.wireNames.value,
    sets: scene.sets,
    servers: scene.servers.keys(),
    isOff: findOff(scene),
  });
  const toolset = buildToolset(catalog, scene);
  const rules = createRuleSettings({ config: () => config, toolset: () => toolset, workspace, home, path });
  const sandbox = createSessionSandbox({ workspace, home, path });
  if (scene.sandbox.active.value) await sandbox.apply(config);
  const isTrusted = (tool: Tool): boolean => !isUntrusted(tool) || isTrustedServer(tool, config);
  const book = createRuleBook({
    ...{ rules, isTrusted, grants: () => grants, today: now },
    confinement: sandbox.confinement,
  });
  const byIdentity = new Map(toolset.placements.map((placement) => [placement.entry.identity, placement]));
  return { toolset, byIdentity, finders: findersOf(catalog), rules, book };
}

function findersOf({ search, code }: Catalog): readonly Entry[] {
  return [search, code];
}

async function judgeIn(
  { byIdentity, finders, rules, book }: Placed,
  identity: string,
  call: PastCall,
  group: Group,
): Promise<CallVerdict | null> {
  const placement = byIdentity.get(identity);
  const entry = placement?.entry ?? finders.find((one) => one.identity === identity || one.wireName === identity);
  if (entry === undefined) return null;
  if (!isThere(entry, group)) return hidden("server.gone", `its server ${entry.tool.server} is not started`);
  const [reason] = placement?.standing === "hidden" ? placement.trace.filter(({ verdict }) => verdict === "hide") : [];
  if (reason !== undefined) return hidden(reason.reason.code, reason.reason.text, reason.reason.origin);
  const read = readArguments(call.arguments);
  if (read.kind === "end") return null;
  const { filters } = group.config;
  const asked = { call: toCall(call, entry), entry, tool: entry.tool, args: read.value };
  const filtered = await foretellFilters(asked, { filters, means: (...names) => rules().means(...names) });
  if (filtered.step.kind === "end") {
    const origin = filtered.found.find(({ act }) => act !== "note")?.origin ?? "";
    return { outcome: "deny", code: "filter.blocked", text: filtered.step.result.textResultForLlm, origin };
  }
  const prepared = filtered.step.value;
  const { decision, code, text, origin } = foretell(await book.rule(prepared), prepared);
  return { outcome: decision, code, text, origin: formatOrigin(origin) };
}

function toCall({ row, arguments: args }: PastCall, { wireName }: Entry) {
  return { id: `${row.run} ${row.seq}`, toolName: wireName, arguments: args };
}

/** Servers that the configuration does not start bring no tools, whatever a list of another time had. */
function isThere({ tool }: Entry, { config }: Group): boolean {
  if (tool.server === null || isBuiltin(tool)) return true;
  const server = serversOf(config).get(tool.server);
  return tool.source !== "mcp" && tool.source !== "openapi" ? true : server?.enabled.value === true;
}

function hidden(code: string, text: string, origin: Origin = defaultOrigin): CallVerdict {
  return { outcome: "hidden", code, text, origin: formatOrigin(origin) };
}
