import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { privateFolders } from "../../../config/layers/state-folder.ts";
import { isManaged } from "../../../config/managed.ts";
import type { SceneFacts } from "../../../config/to-scene.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import { defaultOrigin, formatOrigin, type Origin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { LeftOut } from "../../../core/toolset/toolset.ts";
import type { AgentsPort } from "../../../sources/agents-port.ts";
import type { BuiltinSource } from "../../../sources/builtin/builtin-source.ts";
import { type ChosenBuiltins, chooseBuiltins } from "../../../sources/builtin/choose-builtins.ts";
import { createFileMemory } from "../../../sources/builtin/session/file-memory.ts";
import { createHttpMemory } from "../../../sources/builtin/session/http-memory.ts";
import { type Host, type SessionFiles, type SessionSql, TODO_KEY } from "../../../sources/host.ts";
import type { Memory, Question } from "../../../sources/people-port.ts";
import type { SchedulePort } from "../../../sources/schedule-port.ts";
import type { SkillSource } from "../../../sources/skill/skill-source.ts";
import type { RunContext, Source } from "../../../sources/source.ts";
import type { Emitter } from "../../events/emitter.ts";
import { currentCallOf } from "../../executor/current-call.ts";
import { findFolders } from "../../permissions/added-folders.ts";
import { otherAgentsServers, waitingTools } from "../../report/waiting-servers.ts";
import type { CallSetting } from "../calls/call-setting.ts";
import { createSessionSandbox, type SandboxPlace, type SessionSandbox } from "../calls/session-sandbox.ts";
import { askPeople } from "../sources/ask-people.ts";
import type { WantedSource } from "../sources/configured-sources.ts";
import { wantedExtensions, wantedModules, wantedSkills } from "../sources/file-sources.ts";

/** What the program around a session offers its tools. */
export interface HostSetting extends CallSetting {
  /** Which built-in tools there are, and who says so; what the configuration says, and all of them if absent. */
  readonly builtins?: (config: Config) => ChosenBuiltins;
  readonly addedDirectories?: readonly string[];
  readonly askUser?: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  /** Servers can ask people through this program. */
  readonly elicits?: boolean;
  /** Puts the built-in tools into other words; they are as they are if absent. */
  readonly dialect?: (builtins: BuiltinSource) => Source;
  /** What it runs is outside our sandbox, whatever that lets pass. */
  readonly isOutside?: boolean;
  /** Keeps schedules for the model; nothing does if absent. */
  readonly schedules?: SchedulePort;
  readonly onTaskComplete?: (summary: string) => void;
  /** A call changed the mode of the session. */
  readonly onModeSet?: ((mode: Mode) => void) | undefined;
  readonly memory?: Memory | null;
  /** Its private database; absent where the session is not stored. */
  readonly database?: SessionSql | undefined;
  /** Its plan and private files; absent where the session is not stored. */
  readonly files?: SessionFiles | undefined;
  /** The program asks a model itself, whatever the configuration names. */
  readonly asksItself?: () => boolean;
  /** Sources that the program brings itself. */
  readonly sources?: () => readonly WantedSource[];
  /** What the program knows besides; asked for every scene. */
  readonly facts?: () => SceneFacts;
  /** Most of its sessions run no command, so what those must not change is looked for with the first. */
  readonly looksLate?: boolean;
  /** Looks for a sandbox in place of the machine's own way. */
  readonly detectSandbox?: NonNullable<SandboxPlace>["detect"];
}

/** What a host reaches of its session. */
interface HostPorts {
  readonly emit: Emitter["emit"];
  /** Facts of the scene changed. */
  readonly changed: () => void;
}

/** What sources of the session's own reach of it. */
export interface SourcePorts {
  /** Runs agents that work for this one; null: nothing does. */
  readonly agents: AgentsPort | null;
  /** Changes the mode of the session from inside a call. */
  readonly setMode: (mode: Mode, origin: Origin) => void;
  /** Calls a tool from inside another call, through every stage. */
  readonly callTool: (
    identity: string,
    args: Readonly<Record<string, unknown>>,
    context: RunContext,
  ) => Promise<ToolResult>;
}

/** What stands between a session's tools and the machine. */
export interface SessionHost {
  /** Sources besides servers: built-ins, modules, skills, extensions, what the program registers. */
  sources(config: Config, ports: SourcePorts): Promise<readonly WantedSource[]>;
  facts(config: Config, sources: readonly Source[]): SceneFacts;
  /** What the sources found worth telling. */
  notices(): readonly Notice[];
  /** What of them was taken away before it could be a tool. */
  leftOut(config: Config): readonly LeftOut[];
  readonly confinement: SessionSandbox["confinement"];
}

/** What a host learns while its session runs. */
interface HostState extends HostPorts {
  hasAgents: boolean;
  skills: SkillSource | null;
  /** What was odd when sources were last collected. */
  notices: readonly Notice[];
  /** Sources that have something to tell. */
  readonly noted: Set<{ readonly notices: readonly Notice[] }>;
  readonly sandbox: SessionSandbox;
  /** What tools keep between calls. */
  readonly values: Map<string, unknown>;
}

/** Whether the configuration names what agents could be run with. */
function namesModel({ model, agents }: Config): boolean {
  return model !== null || [...agents.values()].some((agent) => agent.model !== null || agent.acp !== null);
}

/** Nothing can be read there, and no command starts: it is most likely a slip. */
function noticeMissing(workspace: string | null): readonly Notice[] {
  if (workspace === null || existsSync(workspace)) return [];
  const text = `the workspace ${workspace} does not exist: nothing can be read there, and no command can start`;
  return [{ level: "warning", code: "config.folder-missing", text, names: [workspace], origin: defaultOrigin }];
}

export function createSessionHost(setting: HostSetting, ports: HostPorts): SessionHost {
  const { workspace, askUser = null, journal } = setting;
  const sandbox = createSessionSandbox(toSandboxPlace(setting), ports.changed);
  const state: HostState = {
    ...ports,
    hasAgents: false,
    skills: null,
    notices: [],
    noted: new Set(),
    sandbox,
    values: new Map(journal && [[TODO_KEY, journal.state.todo]]),
  };
  const builtinsOf = (config: Config) => chooseBuiltins((setting.builtins ?? configuredBuiltins)(config));
  return {
    async sources(config, lent) {
      state.hasAgents = lent.agents !== null;
      if (await sandbox.apply(config)) ports.changed();
      const missing = noticeMissing(setting.agentId === undefined ? workspace : null);
      state.notices = [...missing, ...findFolders(config).notices, ...builtinsOf(config).notices];
      const own = ownSources(config, setting, state, lent);
      const given = setting.sources?.() ?? [];
      // What does not belong to one agent alone is its parent's.
      if (setting.agentId !== undefined) return [...own, ...given];
      const extensions = await wantedExtensions(config, setting);
      state.notices = [...state.notices, ...extensions.notices];
      const modules = wantedModules(config, setting, (source) => void state.noted.add(source));
      return [...own, ...modules, ...extensions.wanted, ...given];
    },
    facts: (config, sources) => ({
      builtins: builtinsOf(config).builtins,
      handlers: { userInput: askUser !== null, elicitation: setting.elicits === true },
      host: {
        workspace: workspace !== null,
        memory: memoryOf(config, setting) !== null,
        schedule: isOn(config, "schedule"),
        agents: state.hasAgents,
        agentModel: !state.hasAgents || setting.asksItself?.() === true || namesModel(config),
        webSearch: config.search.web !== null,
        store: setting.database !== undefined,
        instructions: workspace !== null && existsSync(instructionFolder(workspace)),
      },
      sandboxActive: sandbox.active,
      instructions: toInstructions(sources),
      skills: state.skills?.sceneSkills ?? [],
      ...setting.facts?.(),
    }),
    leftOut: (config) => [...(state.skills?.leftOut ?? []), ...waitingTools(config), ...otherAgentsServers(config)],
    notices: () => [
      ...(journal?.notices ?? []),
      ...sandbox.notices,
      ...state.notices,
      ...[...state.noted].flatMap(({ notices }) => notices),
    ],
    confinement: setting.isOutside === true ? () => null : sandbox.confinement,
  };
}

/** Sources that keep something for one agent alone, and work in this process. A new kind of these is a line here. */
function ownSources(
  config: Config,
  setting: HostSetting,
  state: HostState,
  ports: SourcePorts,
): readonly WantedSource[] {
  const { cwd, home, dialect, journal } = setting;
  const host = toHost(config, setting, state, ports);
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
        onInvoked(skill) {
          // One that is active again in a stored session was told of before.
          if (journal?.state.skills.has(skill.name) !== true) state.emit("skill.invoked", skill);
        },
        callMcp: (server, tool, args, context) => ports.callTool(`${server}/${tool}`, args, context),
      },
      (source) => {
        state.skills = source;
        state.noted.add(source);
        source.changes(() => state.changed());
        // One that is gone since restricts and allows nothing.
        for (const name of journal?.state.skills ?? []) void source.activate(name).catch(() => {});
      },
    ),
  ];
}

function agentSources(host: Host, dialect: HostSetting["dialect"]): readonly WantedSource[] {
  const { agents } = host;
  if (agents === null) return [];
  const load = () => import("../../../sources/builtin/agent-source.ts");
  const open = async (): Promise<Source> => {
    const source = (await load()).createAgentSource(agents);
    return dialect?.(source) ?? source;
  };
  return [{ key: "agents", open }];
}

function toHost(config: Config, setting: HostSetting, state: HostState, ports: SourcePorts): Host {
  const { workspace, env, askUser = null } = setting;
  return {
    workspace,
    addedDirectories: [...(setting.addedDirectories ?? []), ...findFolders(config).found],
    env,
    askUser: askUser && storedUserInput(askUser, setting, state),
    memory: memoryOf(config, setting),
    webSearch: config.search.web,
    database: setting.database ?? null,
    files: setting.files ?? null,
    instructionsFor: workspace === null ? null : (path) => sayAbout(workspace, path),
    checks: config.checks,
    wrapLaunch: state.sandbox.wrapLaunch,
    activateSkill: async (name) => (state.skills === null ? { unknown: [] } : state.skills.activate(name)),
    approvePlan: async (plan, signal) => {
      const answer = setting.approvePlan
        ? await askPlan(plan, setting.approvePlan, setting, state, signal)
        : ASKED_BEFORE;
      if (!answer.approved) return answer;
      const { mode } = config.permissions;
      if (isManaged(config, mode.origin))
        return {
          approved: false,
          feedback: `managed policy keeps the session in plan mode (${formatOrigin(mode.origin)})`,
        };
      setting.onModeSet?.("default");
      ports.setMode("default", PLAN_APPROVED);
      return answer;
    },
    agents: ports.agents,
    schedules: setting.schedules ?? null,
    onTaskComplete: (summary) => {
      state.emit("session.task_complete", { summary });
      setting.onTaskComplete?.(summary);
    },
    onTodo: (items) => state.emit("session.todo_changed", { items }),
    state: state.values,
  };
}

/** Who is asked for the call that runs now; its question is stored where the session is. */
function peopleOf({ id, journal, timing }: HostSetting, { emit }: HostState) {
  const toolCallId = currentCallOf(id)?.id ?? null;
  return { people: { newId: timing.newId, emit, questions: journal?.questions }, toolCallId };
}

function storedUserInput(
  ask: NonNullable<HostSetting["askUser"]>,
  setting: HostSetting,
  state: HostState,
): NonNullable<Host["askUser"]> {
  return async (question, signal) => {
    const { people, toolCallId } = peopleOf(setting, state);
    const about = { toolCallId, question: question.question, choices: question.choices };
    const answer = await askPeople(people, "user_input", about, () => ask(question, signal), signal);
    return typeof answer === "string" ? answer : "";
  };
}

async function askPlan(
  plan: string,
  ask: NonNullable<Host["approvePlan"]>,
  setting: HostSetting,
  state: HostState,
  signal: AbortSignal,
): Promise<{ readonly approved: boolean; readonly feedback: string | null }> {
  const { people, toolCallId } = peopleOf(setting, state);
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

function memoryOf(config: Config, { memory, workspace }: HostSetting): Memory | null {
  const server = isOn(config, "memory") && memory !== null ? config.memoryServer : null;
  if (server !== null) return createHttpMemory(server);
  if (memory !== undefined) return memory;
  return isOn(config, "memory") && workspace !== null ? createFileMemory(memoryFile(workspace)) : null;
}

export function memoryFile(workspace: string): string {
  return join(workspace, ".toolcrib", "memory.jsonl");
}

/** Where nobody else is shown plans, allowing the call approves the plan in it. */
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

function toSandboxPlace(setting: HostSetting): SandboxPlace {
  const { workspace, addedDirectories, home, env, detectSandbox, looksLate = false } = setting;
  if (workspace === null) return null;
  const hidden = privateFolders({ home, env }, tmpdir(), process.getuid?.() ?? 0);
  const place = { workspace, added: addedDirectories ?? [], home, hidden, path: env.PATH ?? "", looksLate };
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
