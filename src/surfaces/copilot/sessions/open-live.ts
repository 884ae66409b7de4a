import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../../config/config.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { loadConfig } from "../../../config/load-config.ts";
import type { FoundGuards } from "../../../config/with-guards.ts";
import { loadCommandReader } from "../../../runtime/permissions/command-reader.ts";
import { createSessionIn, resumeSessionIn } from "../../../runtime/session/create-session.ts";
import type { SessionOptions } from "../../../runtime/session/options/session-options.ts";
import type { SurfaceSetting } from "../../../runtime/session/options/surface-setting.ts";
import type { SurfaceSession } from "../../../runtime/session/program-session.ts";
import { IN_PROCESS } from "../../../sources/source.ts";
import { createTokenRequests } from "../clients/ask-token.ts";
import { createClientHooks } from "../clients/client-hooks.ts";
import { askElicitation, askPlan, askUser } from "../clients/client-questions.ts";
import { follow } from "../events/deliver.ts";
import { newNotes } from "../events/event-log.ts";
import { createCompaction } from "../models/compaction-text.ts";
import { limitsOf, sees } from "../models/model-limits.ts";
import { createModelRoute, DEFAULT_MODEL } from "../models/model-route.ts";
import { readManaged } from "../permissions/managed-permissions.ts";
import { createPermissionHandler } from "../permissions/permission-handler.ts";
import type { Live, RuntimeState } from "../state/live.ts";
import { providedFolder, sessionStateFolder } from "../state/state-files.ts";
import { createDialect } from "../tools/builtin-dialect.ts";
import { toolsOf } from "../tools/client-tools.ts";
import { agentsOfApp, loadAgents } from "../tools/given-agents.ts";
import { givenServers } from "../tools/given-servers.ts";
import { keepLong, outputFolders } from "../tools/long-result.ts";
import { createServerCalls } from "../tools/server-calls.ts";
import { createSessionSql } from "../tools/session-sql.ts";
import { refuseOptions } from "../wire/options.ts";
import { type Json, numberOf, recordOf, stated, textOf, textsOf } from "../wire/wire-values.ts";

/**
 * Built-in tools that these clients' models know; all others of ours stay hidden. So do `plan` and `session_files`: the
 * plan and the files of such a session lie in its state folder, for the model's file tools and the client alike.
 */
export const COPILOT_BUILTINS = [
  ...["bash", "read_bash", "write_bash", "stop_bash", "list_bash", "view", "create", "edit", "web_fetch"],
  ...["skill", "sql", "read_agent", "list_agents", "grep", "glob", "task", "ask_user", "exit_plan_mode"],
];

/** Somebody is asked about each call of these, however harmless; rules of ours would let some run. */
const ASKED = ["bash", "write_bash", "view", "create", "edit", "web_fetch"];

export function newLive(server: RuntimeState, id: string, wire: Json, startTime = Date.now()): Live {
  return {
    id,
    server,
    session: null as unknown as SurfaceSession, // Set before anybody gets to see it.
    wire,
    project: null,
    clients: new Map(),
    goneTools: new Set(),
    log: [],
    notes: newNotes(),
    ring: [],
    heard: 0,
    places: new Map(),
    questions: new Map(),
    calls: new Map(),
    queue: [],
    running: false,
    idle: Promise.resolve(),
    aborted: false,
    background: new Set(),
    model: textOf(wire.model),
    effort: textOf(wire.reasoningEffort),
    mode: "interactive",
    name: textOf(wire.name) ?? null,
    nameIsOwn: false,
    approvesAll: server.approvesAll,
    fetchesFreely: false,
    approvals: new Set(),
    denials: new Set(),
    agent: textOf(wire.agent) ?? null,
    cwd: resolve(server.around.cwd, textOf(wire.workingDirectory) ?? "."),
    startTime,
    serversStarted: false,
    isStarted: false,
    hasTurn: false,
    isSaved: false,
    closing: null,
    size: null,
    turns: 0,
    usage: { models: new Map(), last: { input: 0, output: 0 }, apiTime: 0 },
    sections: new Map(),
    facts: new Map(),
    current: null,
    written: Promise.resolve(),
  };
}

/** Opens Toolcrib's session for it: a new one, or the stored one of its id. */
export async function openSessionOf(live: Live, isStored: boolean, abandon = false): Promise<void> {
  readManaged(live.wire.managedSettings);
  refuseOptions(live);
  const store = await live.server.store();
  await mkdir(sessionStateFolder(live), { recursive: true });
  const { around } = live.server;
  live.project = await loadProject(live);
  await loadAgents(live);
  const options = { ...toOptions(live), store };
  const surface = toSurface(() => live);
  // A client that resumes a session elsewhere wants it there: whoever held it before lets go.
  const taking = { ...store, hold: (id: string) => store.hold(id, true) };
  live.session = isStored
    ? await resumeSessionIn(around, live.id, { ...options, store: taking, abandon }, surface)
    : await createSessionIn(around, { ...options, sessionId: live.id }, surface);
  follow(live);
}

/** The configuration of the working directory. One that cannot be used keeps the session from opening: it may deny. */
function loadProject({ cwd, wire, server: { around } }: Live): Promise<Config> {
  const hookFolders = textsOf(wire.hookDirectories).map((folder) => resolve(cwd, folder));
  return loadConfig({ cwd, home: homeFolder(around.env), env: around.env, hookFolders, loadCommandReader });
}

/** What files say takes away and adds nothing, save servers where the client wants to have found what is there. */
function guardsOf({ project, wire, serversStarted }: Live): FoundGuards | null {
  if (project === null) return null;
  const disabled = textsOf(wire.disabledMcpServers);
  const servers = new Map([...project.servers].filter(([name]) => serversStarted && !disabled.includes(name)));
  const config = { ...project, servers, ...(wire.enableFileHooks === false ? { hooks: new Map() } : {}) };
  return { config, brings: wire.enableConfigDiscovery === true ? "servers" : "nothing" };
}

function toOptions(live: Live): SessionOptions {
  const get = (): Live => live;
  const route = createModelRoute(get);
  live.facts.set("route", route);
  const { wire, cwd } = live;
  const elicits = wire.requestElicitation === true;
  return {
    ...changeable(live),
    modelClient: route,
    onPermissionRequest: createPermissionHandler(get),
    onUserInputRequest: wire.requestUserInput === true ? (question, signal) => askUser(live, question, signal) : null,
    ...(elicits ? { onElicitationRequest: (request, signal) => askElicitation(live, request, signal) } : {}),
    approvePlan: (plan) => askPlan(live, plan),
    workspace: cwd,
    allowNoTools: true,
    limits: { resultBytes: longestResult(wire) },
    logger: {
      error: (text, error) => live.server.note(`${text}: ${String(error)}`, "error"),
      debug: (text) => live.server.note(text, "debug"),
    },
    wireNames: "server-tool",
    toolSearch: toolSearchOf(wire),
    sandbox: sandboxOf(wire),
  };
}

/** Options that may change while the session is open. */
export function changeable(live: Live): SessionOptions {
  const { wire } = live;
  const available = wire.availableTools === undefined ? null : textsOf(wire.availableTools);
  const model = live.model ?? DEFAULT_MODEL;
  return {
    tools: toolsOf(live),
    hooks: createClientHooks(() => live),
    builtins: COPILOT_BUILTINS.filter((name) => isOffered(name, wire)),
    availableTools: available?.map((name) => toQualified(name, live)) ?? null,
    excludedTools: textsOf(wire.excludedTools).map((name) => toQualified(name, live)),
    filterPrecedence: wire.toolFilterPrecedence === undefined ? "include" : "exclude",
    model,
    models: { "*": { variants: ["edit:replace"], ...factsOf(live) } },
    customAgents: toAgents(live),
    agent: live.agent,
    defaultAgent: {
      excludedTools: textsOf(recordOf(wire.defaultAgent).excludedTools).map((name) => toQualified(name, live)),
    },
    skillDirectories: wire.enableSkills === false ? [] : skillFolders(live),
    disabledSkills: textsOf(wire.disabledSkills),
    skillToolPolicy: "off",
    mcpServers: live.serversStarted ? toServers(givenServers(live), textsOf(wire.disabledMcpServers)) : {},
    code: live.project?.code.value ?? "off",
    mode: live.mode === "plan" ? "plan" : "default",
    permissions: {
      ask: ASKED,
      hostTools: "ask",
      additionalDirectories: [...textsOf(wire.additionalDirectories), sessionStateFolder(live), ...outputFolders(live)],
    },
    ...stated({ reasoningEffort: EFFORTS.get(live.effort) }),
  };
}

function isOffered(name: string, { requestExitPlanMode, askUserDisabled }: Json): boolean {
  if (name === "exit_plan_mode") return requestExitPlanMode === true;
  return name !== "ask_user" || askUserDisabled !== true;
}

/** What models are told, by what clients say: of what lies beyond, the nearest. */
const EFFORTS: ReadonlyMap<string | undefined, "low" | "medium" | "high"> = new Map([
  ...([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "medium"],
  ] as const),
  ...([
    ["high", "high"],
    ["xhigh", "high"],
    ["max", "high"],
  ] as const),
]);

/** A conversation is shortened before it is longer than what may be sent. */
function factsOf(live: Live): { contextWindow: number; capabilities: Record<string, boolean> } {
  const { prompt, window } = limitsOf(live);
  return { contextWindow: prompt ?? window ?? 128_000, capabilities: { vision: sees(live) } };
}

/** Bytes of a result that a model is shown at once. */
function longestResult({ largeOutput }: Json): number {
  const { enabled, maxSizeBytes } = recordOf(largeOutput);
  return enabled === false ? Number.MAX_SAFE_INTEGER : (numberOf(maxSizeBytes) ?? 51_200);
}

/** An app that wants a sandbox gets one or no commands; one that wants none still has that of its project. */
function sandboxOf({ sandboxConfig }: Json): NonNullable<SessionOptions["sandbox"]> {
  const { enabled } = recordOf(sandboxConfig);
  if (enabled === true) return { shell: "on", allowHostShell: false };
  return { shell: enabled === false ? "off" : "auto", allowHostShell: true };
}

export function skillFolders(live: Live): readonly string[] {
  const found = live.wire.enableConfigDiscovery === true ? [join(live.cwd, ".github", "skills")] : [];
  const provided = live.facts.has("provided skills") ? [providedFolder(live)] : [];
  return [...textsOf(live.wire.skillDirectories), ...found, ...provided];
}

/** A bare name is that of a tool, never of one of our sets. */
function toQualified(name: string, { clients }: Live): string {
  const isClients = [...clients.values()].some(({ tools }) => tools.some((tool) => tool.name === name));
  if (isClients) return `custom:${name}`;
  return COPILOT_BUILTINS.includes(name) ? `builtin:${name}` : name;
}

function toServers(servers: Json, disabled: readonly string[]): NonNullable<SessionOptions["mcpServers"]> {
  const rows = Object.entries(servers).map(([name, given]) => {
    const { type, command, args, env, cwd, url, headers, tools, timeout } = recordOf(given);
    const tooled = Array.isArray(tools) ? { tools: textsOf(tools) } : {};
    const limit = numberOf(timeout) === undefined ? {} : { timeout: numberOf(timeout) };
    const about = { ...tooled, ...limit, enabled: !disabled.includes(name) };
    if (textOf(url) !== undefined)
      return [name, stated({ ...about, type: type === "sse" ? "sse" : "http", url, headers })];
    return [name, stated({ ...about, command, args, env, cwd, inheritEnv: true })];
  });
  return Object.fromEntries(rows) as NonNullable<SessionOptions["mcpServers"]>; // Checked as those of a file are.
}

function toAgents(live: Live): NonNullable<SessionOptions["customAgents"]> {
  return agentsOfApp(live).flatMap((agent) => {
    const name = textOf(agent.name);
    if (name === undefined) return [];
    return [
      stated({
        name,
        description: textOf(agent.description) ?? textOf(agent.displayName) ?? name,
        prompt: textOf(agent.prompt),
        tools: Array.isArray(agent.tools) ? textsOf(agent.tools).map((tool) => toQualified(tool, live)) : undefined,
        mcpServers: agent.mcpServers === undefined ? undefined : toServers(recordOf(agent.mcpServers), []),
        skills: agent.skills === undefined ? undefined : textsOf(agent.skills),
        model: textOf(recordOf(recordOf(recordOf(live.wire.subagents).agents)[name]).model) ?? textOf(agent.model),
      }),
    ];
  });
}

function toolSearchOf({ toolSearch }: Json): NonNullable<SessionOptions["toolSearch"]> {
  const { enabled, deferThreshold } = recordOf(toolSearch);
  if (enabled === false) return "off";
  return { threshold: numberOf(deferThreshold) ?? 60 };
}

/** How a session is called where people look. */
function labelOf({ id, name, wire }: Live): string {
  return `${name ?? textOf(wire.clientName) ?? "session"} ${id.slice(0, 8)}`;
}

function toSurface(live: () => Live): SurfaceSetting {
  return {
    asksAtOnce: true,
    hooksFirst: true,
    external: { ...IN_PROCESS, isElsewhere: true, slack: null, queue: "never" },
    askToken: createTokenRequests(live),
    dialect: createDialect(live),
    server: createServerCalls(live),
    database: createSessionSql(live),
    compaction: createCompaction(live),
    storeLong: (text) => keepLong(live(), live().server.secrets.text(text)),
    hidden: live().server.secrets,
    attempts: 3,
    guards: () => guardsOf(live()),
    opened: (session) => live().server.onlooker?.opened(session, labelOf(live())),
  };
}
