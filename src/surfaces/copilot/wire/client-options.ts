import type { WireName } from "../../../runtime/models/model.ts";
import { isJson, type Json, numberOf, recordOf, recordsOf, textOf, textsOf } from "./wire-values.ts";

/** One option that clients give a session: how it is read, or why there is nothing behind it. */
interface Option<Value = unknown> {
  readonly read: (value: unknown) => Value;
  /** The app is told that it does nothing, and the session goes on. */
  readonly lacks?: string;
  /** No session opens with it: the app relies on a limit that nobody would hold. */
  readonly refuses?: string;
  /** Values that ask for no more than what is so anyway. */
  readonly isMet?: (value: unknown, known: KnownModel) => boolean;
  /** All options inside it, or inside each of its items; `*` is any other name. */
  readonly inside?: Options;
}

type Options = Readonly<Record<string, Option>>;

/** What is known of the way to the model, which some options depend on. */
export interface KnownModel {
  /** The format that it is asked in; null before that is known. */
  readonly wire: WireName | null;
  /** The app carries requests itself. */
  readonly isCarried: boolean;
}

type ValueOf<One> = One extends Option<infer Value> ? Value : never;
type Read<Known> = {
  readonly [Name in keyof Known as undefined extends ValueOf<Known[Name]> ? never : Name]: ValueOf<Known[Name]>;
} & {
  readonly [Name in keyof Known as undefined extends ValueOf<Known[Name]> ? Name : never]?: Exclude<
    ValueOf<Known[Name]>,
    undefined
  >;
};

const anything: Option = { read: (value) => value };
const text: Option<string | undefined> = { read: textOf };
const number: Option<number | undefined> = { read: numberOf };
const flag: Option<boolean | undefined> = { read: (value) => (typeof value === "boolean" ? value : undefined) };
const texts: Option<readonly string[]> = { read: textsOf };
const textsIfGiven: Option<readonly string[] | undefined> = {
  read: (value) => (Array.isArray(value) ? textsOf(value) : undefined),
};
const json: Option<Json> = { read: recordOf };

/** Options inside one, whatever others there are. */
function open<Inside extends Options>(inside: Inside): Option<Read<Inside> | undefined> {
  return { read: (value) => (isJson(value) ? readEach(inside, value) : undefined) };
}

function openList<Inside extends Options>(inside: Inside): Option<readonly Read<Inside>[]> {
  return { read: (value) => recordsOf(value).map((one) => readEach(inside, one)) };
}

function byName<Inside extends Options>(inside: Inside): Option<Readonly<Record<string, Read<Inside>>>> {
  return {
    read: (value) =>
      Object.fromEntries(Object.entries(recordOf(value)).map(([name, one]) => [name, readEach(inside, recordOf(one))])),
  };
}

/** The app is told of any other option inside. */
function only<Value>(option: Option<Value>, inside: Options): Option<Value> {
  return { ...option, inside };
}

function lacking(lacks: string, isMet?: Option["isMet"]): Option {
  return { ...anything, lacks, ...(isMet === undefined ? {} : { isMet }) };
}

const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** Whether the model is asked in one of these formats, as far as that is known yet. */
const speaks = ({ wire }: KnownModel, ...wires: readonly WireName[]): boolean => wire === null || wires.includes(wire);

const LIMITS = { max_context_window_tokens: number, max_prompt_tokens: number, max_output_tokens: number };
const SUPPORTS = { vision: anything, "*": lacking("the model is asked as its provider documents it", is(true)) };
const CAPABILITIES = { limits: only(open(LIMITS), LIMITS), supports: only(open(SUPPORTS), SUPPORTS) };
const capabilities = only(open(CAPABILITIES), CAPABILITIES);

const OWN_LIMITS = { maxPromptTokens: number, maxOutputTokens: number, maxContextWindowTokens: number };
const AZURE = { apiVersion: text };

const PROVIDER = {
  ...{ name: text, type: text, wireApi: text, baseUrl: text, apiKey: text, bearerToken: text },
  ...{ hasBearerTokenProvider: flag, headers: anything, modelId: text, wireModel: text },
  ...OWN_LIMITS,
  azure: only(open(AZURE), AZURE),
  transport: {
    ...text,
    lacks: "only a request that the app carries itself goes over a WebSocket",
    isMet: (value: unknown, { isCarried }: KnownModel) => value === "http" || isCarried,
  },
};

const MODEL = {
  ...{ id: anything, provider: anything, name: text, modelId: text, wireModel: text },
  ...OWN_LIMITS,
  capabilities,
};

const SERVER = {
  ...{ type: text, command: anything, args: anything, env: anything, cwd: anything, url: text, headers: anything },
  ...{ tools: textsIfGiven, timeout: number, oauthClientId: text, oauthPublicClient: flag },
};
const servers = { inside: { "*": { ...anything, inside: SERVER } } };

const AGENT = {
  ...{ name: text, displayName: text, description: text, prompt: text, infer: flag, model: text },
  ...{ tools: textsIfGiven, skills: anything },
  mcpServers: { ...anything, ...servers },
  reasoningEffort: lacking("agents think as much as their session"),
};

const SANDBOX = {
  enabled: flag,
  userPolicy: { ...anything, refuses: "the sandbox has no such policy; deny rules of toolcrib.yaml hold for it" },
  addCurrentWorkingDirectory: lacking("commands always write to the working directory", is(true)),
  auth: lacking("the sandbox hands no credentials or tools of the machine through"),
  allowDevToolAccess: lacking("the sandbox hands no credentials or tools of the machine through"),
};

const OUTPUT = { enabled: flag, maxSizeBytes: number, outputDir: text };

const TOOL = {
  ...{ name: text, description: text, parameters: anything, defer: text },
  ...{ overridesBuiltInTool: flag, skipPermission: flag, isTerminal: flag },
};

const USED = {
  ...{ tools: openList(TOOL), commands: openList({ name: anything, description: anything }) },
  toolSearch: open({ enabled: flag, deferThreshold: number }),
  availableTools: { read: (value: unknown) => (value === undefined ? undefined : textsOf(value)) },
  ...{ excludedTools: texts, toolFilterPrecedence: anything, defaultAgent: open({ excludedTools: texts }) },
  ...{ requestPermission: flag, requestUserInput: flag, requestElicitation: flag, requestExitPlanMode: flag },
  ...{ requestAutoModeSwitch: flag, requestMcpApps: flag, askUserDisabled: flag, manageScheduleEnabled: flag },
  ...{ hooks: flag, enableFileHooks: flag, hookDirectories: texts },
  ...{ model: text, reasoningEffort: text, streaming: flag, includeSubAgentStreamingEvents: flag },
  enableCitations: flag,
  systemMessage: open({ mode: text, content: text, sections: byName({ action: text, content: text }) }),
  ...{ skipCustomInstructions: flag, instructionDirectories: texts, organizationCustomInstructions: text },
  ...{ agent: text, agentDirectories: texts, excludedBuiltinAgents: texts, includedBuiltinAgents: textsIfGiven },
  subagents: open({ disabledSubagents: texts, agents: byName({ model: text }) }),
  ...{ skillDirectories: texts, disabledSkills: texts, enableSkills: flag, hasSkillProvider: flag },
  ...{ pluginDirectories: texts, disabledMcpServers: texts, enableConfigDiscovery: flag },
  githubMcpToolConfig: open({
    ...{ enableAllTools: flag, additionalToolsets: texts, additionalTools: textsIfGiven },
    enableInsidersMode: flag,
  }),
  ...{ managedSettings: json, gitHubToken: text, workingDirectory: text, additionalDirectories: texts },
  ...{ name: text, clientName: text, sessionLimits: anything, traceparent: anything, tracestate: anything },
  infiniteSessions: open({
    ...{ enabled: flag, backgroundCompactionThreshold: number, bufferExhaustionThreshold: number },
  }),
  customAgents: only(openList(AGENT), AGENT),
  mcpServers: { ...byName(SERVER), ...servers },
  modelCapabilities: capabilities,
  modelCapabilitiesOverrides: capabilities,
  provider: only(open(PROVIDER), PROVIDER),
  providers: only(openList(PROVIDER), PROVIDER),
  models: only(openList(MODEL), MODEL),
  largeOutput: only(open(OUTPUT), OUTPUT),
  sandboxConfig: only(open(SANDBOX), SANDBOX),
  reasoningSummary: {
    ...text,
    lacks: "the provider of the model has no such setting",
    isMet: (value: unknown, known: KnownModel) => value === "none" || speaks(known, "openai-responses", "gemini"),
  },
  verbosity: {
    ...text,
    lacks: "the provider of the model has no such setting",
    isMet: (_: unknown, known: KnownModel) => speaks(known, "openai-responses", "openai-chat"),
  },
};

const NOT_HERE = lacking("Toolcrib does not have it");
const NO_TELEMETRY = lacking("nothing is sent to GitHub");
const OF_GITHUB = lacking("it is about GitHub's own service");

/** Every option that is known, by its name on the wire. One that is not here has nothing behind it. */
export const COPILOT_OPTIONS: Options = {
  ...USED,
  additionalContentExclusionPolicies: {
    ...anything,
    refuses: "nothing would keep the content out; use deny rules of toolcrib.yaml",
  },
  enableManagedSettings: {
    ...anything,
    refuses: "Toolcrib never asks GitHub for settings; pass them as managedSettings",
  },
  contextTier: lacking("say how much the model reads with modelCapabilities.limits", is("default")),
  envValueMode: lacking("values of servers are taken as they are", is("direct")),
  askUserVariant: lacking("ask_user always goes to the handler of user input", is("legacy")),
  mcpOAuthTokenStorage: lacking("tokens stay in memory", is("in-memory")),
  trustWorkingDirectory: lacking("only `toolcrib trust` trusts a folder"),
  configDir: lacking("set COPILOT_HOME for the runtime"),
  ...{ interactiveUser: NO_TELEMETRY, enableSessionTelemetry: NO_TELEMETRY },
  enableGitHubTelemetryForwarding: NO_TELEMETRY,
  skipEmbeddingRetrieval: lacking("there is no such retrieval", is(true)),
  embeddingCacheStorage: lacking("nothing is kept there", is("in-memory")),
  customAgentsLocalOnly: lacking("agents always run here", is(true)),
  refreshCustomInstructions: lacking("files of instructions are read for every message", is(true)),
  ...{ canvases: NOT_HERE, canvasProvider: NOT_HERE, requestCanvasRenderer: NOT_HERE, openCanvases: NOT_HERE },
  ...{ requestExtensions: NOT_HERE, extensionSdkPath: NOT_HERE, extensionInfo: NOT_HERE, memory: NOT_HERE },
  ...{ cloud: NOT_HERE, remoteSession: NOT_HERE, enableSessionStore: NOT_HERE, enableFileChangeTracking: NOT_HERE },
  ...{ enableOnDemandInstructionDiscovery: NOT_HERE, enableHostGitOperations: NOT_HERE, installedPlugins: NOT_HERE },
  ...{ imageGeneration: NOT_HERE, autopilot: NOT_HERE },
  ...{ capi: OF_GITHUB, expAssignments: OF_GITHUB, featureFlags: OF_GITHUB, isExperimentalMode: OF_GITHUB },
};

/** What the clients of a session want, read from what they sent. */
export type ClientOptions = Read<typeof USED>;
export type ClientAgent = Read<typeof AGENT>;
export type ClientModel = Read<typeof MODEL>;
export type ClientProvider = Read<typeof PROVIDER>;
export type ClientServer = Read<typeof SERVER>;
export type ClientTool = Read<typeof TOOL>;

export function readOptions(given: Json): ClientOptions {
  return readEach(USED, given);
}

export function readAgents(given: unknown): readonly ClientAgent[] {
  return USED.customAgents.read(given);
}

export function readServers(given: unknown): Readonly<Record<string, ClientServer>> {
  return USED.mcpServers.read(given);
}

/** What is not given is left out, so that options can be laid over others. Go writes null for what its app left out. */
function readEach<Known extends Options>(known: Known, given: Json): Read<Known> {
  const read = Object.entries(known).map(([name, option]) => [name, option.read(given[name] ?? undefined)]);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Read<Known>; // By the same table.
}

interface OptionProblem {
  /** Where the app wrote it. */
  readonly path: string;
  readonly why: string;
  readonly isRefused: boolean;
}

/** What an app asked for and does not get. */
function problemsIn(given: Json, model: KnownModel, options = COPILOT_OPTIONS, at = ""): readonly OptionProblem[] {
  return Object.entries(given).flatMap(([name, value]): readonly OptionProblem[] => {
    if (asksNothing(value)) return [];
    const path = `${at}${name}`;
    const option = Object.hasOwn(options, name) ? options[name] : options["*"];
    const why = option === undefined ? "Toolcrib does not know it" : (option.refuses ?? option.lacks);
    if (why !== undefined)
      return option?.isMet?.(value, model) ? [] : [{ path, why, isRefused: option?.refuses !== undefined }];
    const { inside } = option ?? {};
    if (inside === undefined) return [];
    return [value].flat().flatMap((one) => (isJson(one) ? problemsIn(one, model, inside, `${path}.`) : []));
  });
}

/** Left out, off or empty: nothing is missed. */
function asksNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isJson(value) && Object.keys(value).length === 0;
}

/** Throws where an option is refused: a session without what it asks for would do more than the app allows. */
export function refuseOptions(given: Json, model: KnownModel): void {
  const refused = problemsIn(given, model).find(({ isRefused }) => isRefused);
  if (refused !== undefined) throw new Error(`${refused.path} cannot be held here: ${refused.why}`);
}

/** What is ignored and was not reported yet, in one text; null where there is nothing. */
export function newlyIgnored(given: Json, model: KnownModel, reported: Set<string>): string | null {
  const fresh = new Map(problemsIn(given, model).flatMap(({ path, why }) => (reported.has(path) ? [] : [[path, why]])));
  for (const path of fresh.keys()) reported.add(path);
  const texts = [...fresh].map(([path, why]) => `${path} (${why})`);
  return texts.length === 0 ? null : `these options are ignored: ${texts.join(", ")}`.slice(0, LONGEST);
}

const LONGEST = 4_000;
