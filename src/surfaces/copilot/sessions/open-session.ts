import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { loadConfig } from "../../../config/load-config.ts";
import type { FoundGuards } from "../../../config/with-guards.ts";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { loadCommandReader } from "../../../runtime/permissions/command-reader.ts";
import { createSessionIn, resumeSessionIn } from "../../../runtime/session/create-session.ts";
import type { SessionOptions } from "../../../runtime/session/options/session-options.ts";
import type { SurfaceSetting } from "../../../runtime/session/options/surface-setting.ts";
import { IN_PROCESS } from "../../../sources/source.ts";
import { askElicitation, askPlan, askUser } from "../clients/client-questions.ts";
import { deliverEvent } from "../events/deliver.ts";
import { createCompaction } from "../models/compaction-text.ts";
import { createClientModels } from "../models/model-route.ts";
import { knownModel, modelName } from "../models/model-state.ts";
import { readManaged } from "../permissions/managed-permissions.ts";
import { createPermissionHandler } from "../permissions/permission-handler.ts";
import type { SessionCore } from "../state/session-core.ts";
import { sessionStateFolder } from "../state/session-files.ts";
import { describeAgentEnd, loadAgents, shippedAgents } from "../tools/agents.ts";
import { createDialect } from "../tools/builtin-dialect.ts";
import { storeLong } from "../tools/long-result.ts";
import { createSchedules } from "../tools/schedules.ts";
import { createTokenRequests, reportStatus, type ServerState, throughHooks } from "../tools/servers.ts";
import { createSessionSql } from "../tools/session-sql.ts";
import { type ClientOptions, refuseOptions } from "../wire/client-options.ts";
import type { ClientSession, ClientSessionParts } from "./client-session.ts";
import { emitIdle } from "./emit-idle.ts";
import { toOptions } from "./session-options.ts";

/** How a stored session is taken up: `abandon` gives up what waits for somebody. */
interface Resuming {
  readonly abandon: boolean;
}

/** Opens Toolcrib's session behind the parts: a new one, or the stored one of its id. */
export async function openClientSession(parts: ClientSessionParts, resuming: Resuming | null): Promise<ClientSession> {
  const live = { ...parts, findModel: createClientModels(parts) };
  await reopenSession(live, resuming);
  return live;
}

/** The same for parts that were opened before, such as in another folder. */
export async function reopenSession(live: ClientSession, resuming: Resuming | null): Promise<void> {
  const { core, servers, agents, models } = live;
  readManaged(core.options.managedSettings);
  refuseOptions(core.given, knownModel(core, models));
  const { around } = core.server;
  const surface = toSurface(live);
  const store = await core.server.store();
  await mkdir(sessionStateFolder(core), { recursive: true });
  servers.project = await loadProject(core);
  await loadAgents(core, agents);
  const options = { ...toOptions(live), ...toFixed(live), store };
  // A client that resumes a session here wants it here: another process that has it lets go.
  const taking = { ...store, hold: (id: string) => store.hold(id, true) };
  core.session =
    resuming === null
      ? await createSessionIn(around, { ...options, sessionId: core.id }, surface)
      : await resumeSessionIn(around, core.id, { ...options, store: taking, ...resuming }, surface);
  core.session.on("*", (event) => follow(live, event));
}

function follow(live: ClientSession, event: SessionEvent): void {
  const { id, server } = live.core;
  server.telemetry?.record(id, event);
  deliverEvent(live, event);
  if (event.type === "user.message") live.turns.steering.delete(event.data.messageId);
  // Of a run that an agent's report began; others end once nothing waits.
  if (event.type === "session.idle" && live.turns.running === null) emitIdle(live);
}

/** The configuration of the working directory. One that cannot be used keeps the session from opening: it may deny. */
function loadProject({ cwd, options, server: { around } }: SessionCore) {
  const hookFolders = options.hookDirectories.map((folder) => resolve(cwd, folder));
  return loadConfig({ cwd, home: homeFolder(around.env), env: around.env, hookFolders, loadCommandReader });
}

/** What files say takes away and adds nothing, save servers where the client wants those found. */
function guardsOf({ options }: SessionCore, { project, isStarted }: ServerState): FoundGuards | null {
  if (project === null) return null;
  const isWanted = (name: string): boolean => isStarted && !options.disabledMcpServers.includes(name);
  const servers = new Map([...project.servers].filter(([name]) => isWanted(name)));
  const config = { ...project, servers, ...(options.enableFileHooks === false ? { hooks: new Map() } : {}) };
  return { config, brings: options.enableConfigDiscovery === true ? "servers" : "nothing" };
}

/** Options that hold for as long as a session is open. */
function toFixed(live: ClientSession): SessionOptions {
  const { core, permissions, asking, models, agents } = live;
  const { note } = core.server;
  const { requestUserInput, askUserDisabled, requestElicitation, toolSearch } = core.options;
  const asksUser = requestUserInput === true && askUserDisabled !== true;
  return {
    model: modelName(models),
    agent: agents.selected,
    onPermissionRequest: createPermissionHandler(core, permissions),
    onUserInputRequest: asksUser ? (question, signal) => askUser(core, asking, question, signal) : null,
    ...(requestElicitation === true
      ? { onElicitationRequest: (request, signal) => askElicitation(core, request, signal) }
      : {}),
    approvePlan: (plan) => askPlan(core, asking, plan),
    workspace: core.cwd,
    allowNoTools: true,
    limits: { resultBytes: longestResult(core.options) },
    logger: {
      error: (text, error) => note(`${text}: ${String(error)}`, "error"),
      debug: (text) => note(text, "debug"),
    },
    wireNames: "server-tool",
    toolSearch: toolSearch?.enabled === false ? "off" : { threshold: toolSearch?.deferThreshold ?? 30 },
    sandbox: sandboxOf(core.options),
  };
}

/** Bytes of a result that a model is shown at once. */
function longestResult({ largeOutput }: ClientOptions): number {
  return largeOutput?.enabled === false ? Number.MAX_SAFE_INTEGER : (largeOutput?.maxSizeBytes ?? 51_200);
}

/** An app that wants a sandbox gets one or no commands; one that wants none still has that of its project. */
function sandboxOf({ sandboxConfig }: ClientOptions): NonNullable<SessionOptions["sandbox"]> {
  if (sandboxConfig?.enabled === true) return { shell: "on", allowHostShell: false };
  return { shell: sandboxConfig?.enabled === false ? "off" : "auto", allowHostShell: true };
}

/** How a session of the SDK differs from one of the library, one row per difference. */
function toSurface({ core, asking, servers, models, workspace, findModel }: ClientSession): SurfaceSetting {
  const { secrets, onlooker } = core.server;
  const label = `${core.name ?? core.options.clientName ?? "session"} ${core.id.slice(0, 8)}`;
  return {
    // Clients show several questions at once.
    asksAtOnce: true,
    // Apps open many sessions, and few of those run a command.
    looksLate: true,
    // Hooks of clients see calls of tools that do not exist too.
    hooksFirst: true,
    // A client's tool may take as long as it likes, and waits for no other call.
    external: { ...IN_PROCESS, isElsewhere: true, slack: null, queue: "never" },
    // Clients log in to servers; in the library a person does, by the command line.
    askToken: createTokenRequests(core),
    // Models behind these clients know other arguments and results of built-in tools.
    dialect: createDialect({ core, asking }),
    // A hook before calls to servers, which the library does not have, and an event whenever one is in another state.
    server: (source) => reportStatus(core, servers)(throughHooks(core)(source)),
    // A client that stores the files of sessions may run their SQL, and is told when steps change.
    database: createSessionSql(core, workspace),
    // The app says where models are and may carry requests to them; they are asked in the clients' words.
    findModel,
    // Agents have other names, and their ends are reported in other words.
    shippedAgents: () => shippedAgents(core.options),
    describeEnd: describeAgentEnd,
    // A summary replaces everything; the library leaves the last messages.
    compaction: createCompaction(core, models),
    // Those of the workspace, which sessions of the library have none of.
    schedules: createSchedules(core, servers),
    // A long result goes into a file that models are told to read with their own tools.
    storeLong: (text) => storeLong(core, secrets.text(text)),
    hidden: secrets,
    // Fewer than in the library: an app has its own hook for errors.
    attempts: 3,
    // Files of the working directory may only take away from what the app allows.
    guards: () => guardsOf(core, servers),
    opened: (session) => {
      servers.session = session;
      onlooker?.opened(session, label);
    },
  };
}
