import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { loginFolder, privateFolders, toolListFolder } from "../../../config/layers/state-folder.ts";
import { isManaged } from "../../../config/managed.ts";
import type { SceneFacts } from "../../../config/to-scene.ts";
import { defaultOrigin, formatOrigin, type Origin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import type { TodoStep } from "../../../core/events/state-events.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { AgentsPort } from "../../../sources/agents-port.ts";
import type { BuiltinSource } from "../../../sources/builtin/builtin-source.ts";
import { type ChosenBuiltins, chooseBuiltins } from "../../../sources/builtin/choose-builtins.ts";
import { createFileMemory } from "../../../sources/builtin/session/file-memory.ts";
import { createHttpMemory } from "../../../sources/builtin/session/http-memory.ts";
import { type Host, type SessionFiles, type SessionSql, TODO_KEY } from "../../../sources/host.ts";
import { failure } from "../../../sources/parts/results.ts";
import type { Memory, Question } from "../../../sources/people-port.ts";
import type { SchedulePort } from "../../../sources/schedule-port.ts";
import type { SkillSource } from "../../../sources/skill/skill-source.ts";
import type { Source } from "../../../sources/source.ts";
import type { AskToken } from "../../../sources/token-port.ts";
import { type Logger, SILENT } from "../../../system/logger.ts";
import { OWN_TIMING, type Timing } from "../../../system/surroundings.ts";
import type { SessionAudit } from "../../audit/session-audit.ts";
import { currentCallOf } from "../../executor/current-call.ts";
import { createKeyring } from "../../executor/keyring.ts";
import { findFolders } from "../../permissions/added-folders.ts";
import type { StoredQuestions } from "../../permissions/asking.ts";
import { otherAgentsServers, waitingTools } from "../../report/waiting-servers.ts";
import { type CallSetting, NO_HOOKS } from "../calls/call-setting.ts";
import { createSessionSandbox, type SandboxPlace, type SessionSandbox } from "../calls/session-sandbox.ts";
import { createSearchStores, type SearchStores } from "../search/search-stores.ts";
import { askPeople } from "../sources/ask-people.ts";
import type { WantedSource } from "../sources/configured-sources.ts";
import { wantedExtensions, wantedModules, wantedSkills } from "../sources/file-sources.ts";
import type { SessionPorts, SessionSetting } from "./setting.ts";

/** What the program around a session offers and decides. */
export interface HostOptions {
  readonly id?: string;
  /** The process's own if absent. */
  readonly timing?: Timing;
  readonly version: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Which built-in tools there are, and who says so; what the configuration says, and all of them if absent. */
  readonly builtins?: (config: Config) => ChosenBuiltins;
  /** Absolute; null where file tools have nothing to work on. */
  readonly workspace: string | null;
  readonly addedDirectories?: readonly string[];
  readonly askUser?: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  /** Servers can ask people through this program. */
  readonly elicits?: boolean;
  /** Where what waits for somebody is stored; nowhere if absent. */
  readonly questions?: StoredQuestions | undefined;
  readonly approvePlan?: Host["approvePlan"];
  /** Runs agents that work for this one; nothing does if absent. */
  readonly agents?: AgentsPort;
  /** Puts the built-in tools into other words; they are as they are if absent. */
  readonly dialect?: (builtins: BuiltinSource) => Source;
  /** Asks somebody for a token that a server wants; nobody if absent. */
  readonly askToken?: AskToken | undefined;
  /** It is for an agent that works for another one: what does not belong to one agent alone is its parent's. */
  readonly isSubagent?: boolean;
  /** Keeps schedules for the model; nothing does if absent. */
  readonly schedules?: SchedulePort;
  readonly onTaskComplete?: (summary: string) => void;
  readonly memory?: Memory | null;
  /** The log of its calls; absent: somebody else keeps one, or nobody does. */
  readonly audit?: SessionAudit | undefined;
  readonly logger?: Logger;
  /** Skills that were active before the session was resumed. */
  readonly activeSkills?: Iterable<string>;
  /** The list of steps before the session was resumed. */
  readonly todo?: readonly TodoStep[] | undefined;
  /** Its private database; absent where the session is not stored. */
  readonly database?: SessionSql | undefined;
  /** Its plan and private files; absent where the session is not stored. */
  readonly files?: SessionFiles | undefined;
  readonly signal?: AbortSignal;
  /** Where it is kept what was made for definitions so that search finds them; in the person's files if absent. */
  readonly searchStores?: SearchStores | undefined;
  /** Sources that the program brings itself. */
  readonly sources?: readonly WantedSource[];
  readonly pins?: SceneFacts["pins"];
  /** Whether what servers list is kept, and shown while they start the next time; no if absent. */
  readonly keepsLists?: boolean;
  /** These three are looked at anew for every toolset. */
  readonly modelIsForced?: boolean | undefined;
  readonly allowNoTools?: boolean | undefined;
  readonly filterPrecedence?: "exclude" | "include" | undefined;
  readonly calls?: Partial<Omit<CallSetting, "home" | "workspace">>;
  /** Looks for a sandbox in place of the machine's own way. */
  readonly detectSandbox?: NonNullable<SandboxPlace>["detect"];
}

/** What a session's host comes to hold while the session runs. */
interface HostState {
  ports: SessionPorts;
  skills: SkillSource | null;
  /** What was odd when sources were last collected. */
  notices: readonly Notice[];
  /** Sources that have something to tell. */
  readonly noted: Set<{ readonly notices: readonly Notice[] }>;
  readonly sandbox: SessionSandbox;
  /** What tools keep between calls. */
  readonly kept: Map<string, unknown>;
}

const NOT_OPEN: SessionPorts = {
  emit: () => {},
  changed: () => {},
  setMode: () => {},
  callTool: async () => failure("The session is not open yet."),
};

/** The setting of a session whose tools reach the machine through this host. */
export function createHostSetting(options: HostOptions): SessionSetting {
  const { cwd, home, env, version, workspace, askUser = null, logger = SILENT, timing = OWN_TIMING } = options;
  const { id = timing.newId() } = options;
  const lists = options.keepsLists === true ? { lists: toolListFolder({ home, env }, workspace ?? cwd) } : {};
  const place = {
    cwd,
    env,
    version,
    wire: logger.wire,
    logins: loginFolder({ home, env }),
    askToken: options.askToken,
    ...lists,
  };
  const sandbox = createSessionSandbox(toSandboxPlace(options));
  const state: HostState = {
    ports: NOT_OPEN,
    skills: null,
    notices: [],
    noted: new Set(),
    sandbox,
    kept: new Map(options.todo && [[TODO_KEY, options.todo]]),
  };
  const keyring = options.calls?.keyring ?? createKeyring();
  // Calls of agents below are refused like its own.
  const calls = options.audit?.beforeRun ? { ...options.calls, beforeRun: options.audit.beforeRun } : options.calls;
  const builtinsOf = (config: Config) => chooseBuiltins((options.builtins ?? configuredBuiltins)(config));
  return {
    id,
    timing,
    place,
    searchStores: options.searchStores ?? createSearchStores({ home, env }, null),
    logger,
    questions: options.questions,
    audit: options.audit,
    signal: options.signal ?? new AbortController().signal,
    below: ({ id: agentId, agents, folder }) =>
      createHostSetting({
        ...options,
        ...{ id, agents, activeSkills: [], isSubagent: true, calls: { ...calls, keyring, agentId } },
        ...(folder === null ? {} : { cwd: folder, workspace: folder }),
      }),
    calls: {
      home,
      workspace,
      isSubagent: options.isSubagent === true,
      keyring,
      onPermissionRequest: () => null,
      hooks: () => NO_HOOKS,
      classifier: () => null,
      plansAreShown: () => (options.approvePlan ?? null) !== null,
      limits: {},
      confinement: sandbox.confinement,
      ...calls,
    },
    attach(given) {
      state.ports = given;
    },
    async sources(config) {
      if (await sandbox.apply(config)) state.ports.changed();
      state.notices = [...findFolders(config).notices, ...builtinsOf(config).notices];
      const own = ownSources(config, options, state);
      if (options.isSubagent === true) return own;
      const extensions = await wantedExtensions(config, { ...place, workspace, sessionId: id, logger });
      state.notices = [...state.notices, ...extensions.notices];
      const modules = wantedModules(config, place, (source) => void state.noted.add(source));
      return [...own, ...modules, ...extensions.wanted, ...(options.sources ?? [])];
    },
    facts: (config, sources) => ({
      builtins: builtinsOf(config).builtins,
      handlers: { userInput: askUser !== null, elicitation: options.elicits === true },
      host: {
        workspace: workspace !== null,
        memory: memoryOf(config, options) !== null,
        schedule: isOn(config, "schedule"),
        agents: options.agents !== undefined,
        webSearch: config.search.web !== null,
        store: options.database !== undefined,
        instructions: workspace !== null && existsSync(instructionFolder(workspace)),
      },
      sandboxActive: sandbox.active,
      instructions: toInstructions(sources),
      skills: state.skills?.sceneSkills ?? [],
      ...(options.pins === undefined ? {} : { pins: options.pins }),
      ...(options.allowNoTools === undefined ? {} : { allowNoTools: options.allowNoTools }),
      ...(options.modelIsForced === undefined ? {} : { modelIsForced: options.modelIsForced }),
      ...(options.filterPrecedence === undefined ? {} : { filterPrecedence: options.filterPrecedence }),
    }),
    leftOut: (config) => [...(state.skills?.leftOut ?? []), ...waitingTools(config), ...otherAgentsServers(config)],
    notices: () => [...sandbox.notices, ...state.notices, ...[...state.noted].flatMap(({ notices }) => notices)],
  };
}

/** Sources that keep something for one agent alone, and work in this process. A new kind of these is a line here. */
function ownSources(config: Config, options: HostOptions, state: HostState): readonly WantedSource[] {
  const { cwd, home, dialect } = options;
  const host = toHost(config, options, state);
  return [
    {
      key: JSON.stringify(["builtin", config.checks, host.memory !== null, host.addedDirectories]),
      open: async () => {
        const { createBuiltinSource, inOurWords } = await import("../../../sources/builtin/builtin-source.ts");
        return (dialect ?? inOurWords)(createBuiltinSource(host));
      },
    },
    ...agentSources(host, dialect),
    ...wantedSkills(
      config,
      {
        cwd,
        home,
        host,
        onInvoked: (name) => state.ports.emit("skill.invoked", { name }),
        callMcp: (server, tool, args, context) => state.ports.callTool(`${server}/${tool}`, args, context),
      },
      (source) => {
        state.skills = source;
        state.noted.add(source);
        source.changes(() => state.ports.changed());
        // One that is gone since restricts and allows nothing.
        for (const name of options.activeSkills ?? []) void source.activate(name).catch(() => {});
      },
    ),
  ];
}

function agentSources(host: Host, dialect: HostOptions["dialect"]): readonly WantedSource[] {
  const { agents } = host;
  if (agents === null) return [];
  const load = () => import("../../../sources/builtin/agent-source.ts");
  const open = async (): Promise<Source> => {
    const source = (await load()).createAgentSource(agents);
    return dialect?.(source) ?? source;
  };
  return [{ key: "agents", open }];
}

function toHost(config: Config, options: HostOptions, state: HostState): Host {
  const { workspace, env, askUser = null } = options;
  return {
    workspace,
    addedDirectories: [...(options.addedDirectories ?? []), ...findFolders(config).found],
    env,
    askUser: askUser && storedUserInput(askUser, options, state),
    memory: memoryOf(config, options),
    webSearch: config.search.web,
    database: options.database ?? null,
    files: options.files ?? null,
    instructionsFor: workspace === null ? null : (path) => sayAbout(workspace, path),
    checks: config.checks,
    wrapLaunch: state.sandbox.wrapLaunch,
    activateSkill: async (name) => (state.skills === null ? { unknown: [] } : state.skills.activate(name)),
    approvePlan: async (plan, signal) => {
      const answer = options.approvePlan
        ? await askPlan(plan, options.approvePlan, options, state, signal)
        : ASKED_BEFORE;
      if (!answer.approved) return answer;
      const { mode } = config.permissions;
      if (isManaged(config, mode.origin))
        return {
          approved: false,
          feedback: `managed policy keeps the session in plan mode (${formatOrigin(mode.origin)})`,
        };
      state.ports.setMode("default", PLAN_APPROVED);
      return answer;
    },
    agents: options.agents ?? null,
    schedules: options.schedules ?? null,
    onTaskComplete: (summary) => {
      state.ports.emit("session.task_complete", { summary });
      options.onTaskComplete?.(summary);
    },
    onTodo: (items) => state.ports.emit("session.todo_changed", { items }),
    state: state.kept,
  };
}

/** Who is asked for the call that runs now; its question is stored where the session is. */
function peopleOf({ id = "", questions, timing = OWN_TIMING }: HostOptions, { ports }: HostState) {
  const toolCallId = currentCallOf(id)?.id ?? null;
  return { people: { newId: timing.newId, emit: ports.emit, questions }, toolCallId };
}

function storedUserInput(
  ask: NonNullable<HostOptions["askUser"]>,
  options: HostOptions,
  state: HostState,
): NonNullable<Host["askUser"]> {
  return async (question, signal) => {
    const { people, toolCallId } = peopleOf(options, state);
    const about = { toolCallId, question: question.question, choices: question.choices };
    const answer = await askPeople(people, "user_input", about, () => ask(question, signal), signal);
    return typeof answer === "string" ? answer : "";
  };
}

async function askPlan(
  plan: string,
  ask: NonNullable<Host["approvePlan"]>,
  options: HostOptions,
  state: HostState,
  signal: AbortSignal,
): Promise<{ readonly approved: boolean; readonly feedback: string | null }> {
  const { people, toolCallId } = peopleOf(options, state);
  const said = await askPeople(people, "plan", { toolCallId, plan }, () => ask(plan, signal), signal);
  const { approved, feedback } = isRecord(said) ? said : {};
  return { approved: approved === true, feedback: typeof feedback === "string" ? feedback : null };
}

async function sayAbout(workspace: string, path: string): Promise<readonly string[]> {
  const { loadInstructionsFor } = await import("../../loop/instruction-files.ts");
  return (await loadInstructionsFor(workspace, path)).sections.map(({ text }) => text);
}

function instructionFolder(workspace: string): string {
  return join(workspace, ".github", "instructions");
}

function memoryOf(config: Config, { memory, workspace }: HostOptions): Memory | null {
  const server = isOn(config, "memory") && memory !== null ? config.memoryServer : null;
  if (server !== null) return createHttpMemory(server);
  if (memory !== undefined) return memory;
  return isOn(config, "memory") && workspace !== null ? createFileMemory(memoryFile(workspace)) : null;
}

export function memoryFile(workspace: string): string {
  return join(workspace, ".toolcrib", "memory.jsonl");
}

/** Where nobody else is shown plans, whoever allowed the call agreed to the plan in it. */
const ASKED_BEFORE = { approved: true, feedback: null } as const;
const PLAN_APPROVED: Origin = { kind: "call", call: "exit_plan_mode" };

/** What the configuration says, and otherwise what the program wants. */
export function configuredBuiltins({ builtins }: Config, otherwise: ChosenBuiltins["choice"] = "all"): ChosenBuiltins {
  const { value: choice, origin } = builtins ?? { value: otherwise, origin: defaultOrigin };
  return { choice, setting: "builtins", origin };
}

function isOn({ features }: Config, feature: string): boolean {
  return features.get(feature)?.value === true;
}

function toSandboxPlace({ workspace, addedDirectories, home, env, detectSandbox }: HostOptions): SandboxPlace {
  if (workspace === null) return null;
  const hidden = privateFolders({ home, env }, tmpdir(), process.getuid?.() ?? 0);
  const place = { workspace, added: addedDirectories ?? [], home, hidden, path: env.PATH ?? "" };
  return detectSandbox === undefined ? place : { ...place, detect: detectSandbox };
}

/** What connected servers say about themselves, for the prompt (P2). */
function toInstructions(sources: readonly Source[]): ReadonlyMap<string, string> {
  return new Map(
    sources.flatMap((source) => {
      const { name, instructions = null } = source;
      return instructions === null ? [] : [[name, instructions] as const];
    }),
  );
}
