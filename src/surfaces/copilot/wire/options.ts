import type { WireName } from "../../../runtime/models/model.ts";
import type { Live } from "../state/live.ts";
import { isJson, type Json } from "./wire-values.ts";

/** What becomes of one option that clients give a session. */
interface Option {
  /** Why nothing stands behind it. The app hears of it, and the session goes on. */
  readonly lacks?: string;
  /** Why no session opens with it: the app relies on a limit that nobody would hold. */
  readonly refuses?: string;
  /** Values that ask for no more than what is so anyway. */
  readonly isMet?: (value: unknown, live: Live) => boolean;
  /** Options inside it, or inside each of its items; `*` is any other name. */
  readonly inside?: Options;
}

type Options = Readonly<Record<string, Option>>;

const USED: Option = {};
const used = (...names: readonly string[]): Options => Object.fromEntries(names.map((name) => [name, USED]));
const lacking = (lacks: string, ...names: readonly string[]): Options =>
  Object.fromEntries(names.map((name) => [name, { lacks }]));
const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** Whether the model is asked in one of these languages, as far as that is known yet. */
const speaks = ({ facts }: Live, ...wires: readonly WireName[]): boolean =>
  !facts.has("wire") || wires.some((wire) => wire === facts.get("wire"));

const CAPABILITIES: Options = {
  limits: { inside: used("max_context_window_tokens", "max_prompt_tokens", "max_output_tokens") },
  supports: {
    inside: {
      ...used("vision"),
      "*": { lacks: "the model is asked as its provider documents it", isMet: is(true) },
    },
  },
};

const LIMITS = used("maxPromptTokens", "maxOutputTokens", "maxContextWindowTokens");

const PROVIDER: Options = {
  ...used("name", "type", "wireApi", "baseUrl", "apiKey", "bearerToken", "hasBearerTokenProvider", "headers"),
  ...used("modelId", "wireModel"),
  ...LIMITS,
  azure: { inside: used("apiVersion") },
  transport: {
    lacks: "only a request that the app carries itself goes over a WebSocket",
    isMet: (value, { server }) => value === "http" || server.inference !== null,
  },
};

const SERVER: Options = {
  ...used("type", "command", "args", "env", "cwd", "url", "headers", "tools", "timeout"),
  ...used("oauthClientId", "oauthPublicClient"),
};

/** Every option that is known, by its name on the wire. One that is not here has nothing behind it. */
export const COPILOT_OPTIONS: Options = {
  ...used("tools", "commands", "toolSearch", "availableTools", "excludedTools", "toolFilterPrecedence", "defaultAgent"),
  ...used("requestPermission", "requestUserInput", "requestElicitation", "requestExitPlanMode"),
  ...used("requestAutoModeSwitch", "requestMcpApps", "askUserDisabled"),
  ...used("hooks", "enableFileHooks", "hookDirectories"),
  ...used("model", "reasoningEffort", "streaming", "includeSubAgentStreamingEvents", "enableCitations"),
  ...used("systemMessage", "skipCustomInstructions", "instructionDirectories", "organizationCustomInstructions"),
  ...used("agent", "agentDirectories", "excludedBuiltinAgents", "includedBuiltinAgents", "subagents"),
  ...used("skillDirectories", "disabledSkills", "enableSkills", "hasSkillProvider", "pluginDirectories"),
  ...used("disabledMcpServers", "githubMcpToolConfig", "enableConfigDiscovery", "managedSettings", "gitHubToken"),
  ...used("workingDirectory", "additionalDirectories", "name", "clientName", "infiniteSessions", "sessionLimits"),
  ...used("traceparent", "tracestate"),
  customAgents: {
    inside: {
      ...used("name", "displayName", "description", "tools", "prompt", "infer", "skills", "model"),
      mcpServers: { inside: { "*": { inside: SERVER } } },
      ...lacking("agents think as much as their session", "reasoningEffort"),
    },
  },
  mcpServers: { inside: { "*": { inside: SERVER } } },
  modelCapabilities: { inside: CAPABILITIES },
  modelCapabilitiesOverrides: { inside: CAPABILITIES },
  provider: { inside: PROVIDER },
  providers: { inside: PROVIDER },
  models: {
    inside: {
      ...used("id", "provider", "name", "modelId", "wireModel"),
      ...LIMITS,
      capabilities: { inside: CAPABILITIES },
    },
  },
  largeOutput: { inside: used("enabled", "maxSizeBytes", "outputDir") },
  sandboxConfig: {
    inside: {
      ...used("enabled"),
      userPolicy: { refuses: "the sandbox has no such policy; deny rules of toolcrib.yaml hold for it" },
      addCurrentWorkingDirectory: { lacks: "commands always write to the working directory", isMet: is(true) },
      ...lacking("the sandbox hands no credentials or tools of the machine through", "auth", "allowDevToolAccess"),
    },
  },
  additionalContentExclusionPolicies: {
    refuses: "nothing would keep the content out; use deny rules of toolcrib.yaml",
  },
  enableManagedSettings: { refuses: "Toolcrib never asks GitHub for settings; pass them as managedSettings" },

  reasoningSummary: {
    lacks: "the provider of the model has no such setting",
    isMet: (value, live) => value === "none" || speaks(live, "openai-responses", "gemini"),
  },
  verbosity: {
    lacks: "the provider of the model has no such setting",
    isMet: (_, live) => speaks(live, "openai-responses", "openai-chat"),
  },
  contextTier: { lacks: "say how much the model reads with modelCapabilities.limits", isMet: is("default") },
  envValueMode: { lacks: "values of servers are taken as they are", isMet: is("direct") },
  askUserVariant: { lacks: "ask_user always goes to the handler of user input", isMet: is("legacy") },
  mcpOAuthTokenStorage: { lacks: "tokens stay in memory", isMet: is("in-memory") },
  trustWorkingDirectory: { lacks: "only `toolcrib trust` trusts a folder" },
  configDir: { lacks: "set COPILOT_HOME for the runtime" },
  interactiveUser: { lacks: "there is no telemetry" },
  enableSessionTelemetry: { lacks: "there is no telemetry" },
  enableGitHubTelemetryForwarding: { lacks: "there is no telemetry" },
  skipEmbeddingRetrieval: { lacks: "there is no such retrieval", isMet: is(true) },
  embeddingCacheStorage: { lacks: "nothing is kept there", isMet: is("in-memory") },
  customAgentsLocalOnly: { lacks: "agents always run here", isMet: is(true) },
  refreshCustomInstructions: { lacks: "files of instructions are read for every message", isMet: is(true) },
  ...lacking("Toolcrib does not have it", "canvases", "canvasProvider", "requestCanvasRenderer", "openCanvases"),
  ...lacking("Toolcrib does not have it", "requestExtensions", "extensionSdkPath", "extensionInfo", "memory", "cloud"),
  ...lacking("Toolcrib does not have it", "remoteSession", "enableSessionStore", "enableFileChangeTracking"),
  ...lacking("Toolcrib does not have it", "enableOnDemandInstructionDiscovery", "enableHostGitOperations"),
  ...lacking("Toolcrib does not have it", "installedPlugins", "imageGeneration", "autopilot", "manageScheduleEnabled"),
  ...lacking("it is about GitHub's own service", "capi", "expAssignments", "featureFlags", "isExperimentalMode"),
};

const UNKNOWN = "Toolcrib does not know it";

interface OptionProblem {
  /** Where the app wrote it. */
  readonly path: string;
  readonly why: string;
  readonly isRefused: boolean;
}

/** What an app asked for and does not get. */
function problemsIn(live: Live, given: Json = live.wire, options = COPILOT_OPTIONS, at = ""): readonly OptionProblem[] {
  return Object.entries(given).flatMap(([name, value]): readonly OptionProblem[] => {
    if (asksNothing(value)) return [];
    const path = `${at}${name}`;
    const option = find(options, name);
    const why = option === undefined ? UNKNOWN : (option.refuses ?? option.lacks);
    if (why !== undefined)
      return option?.isMet?.(value, live) ? [] : [{ path, why, isRefused: option?.refuses !== undefined }];
    const { inside } = option ?? {};
    if (inside === undefined) return [];
    return [value].flat().flatMap((one) => (isJson(one) ? problemsIn(live, one, inside, `${path}.`) : []));
  });
}

function find(options: Options, name: string): Option | undefined {
  return Object.hasOwn(options, name) ? options[name] : options["*"];
}

/** Left out, off or empty: whatever stands behind it, nothing is missed. */
function asksNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  return Array.isArray(value) ? value.length === 0 : isJson(value) && Object.keys(value).length === 0;
}

/** Throws where an option is refused: a session without what it asks for would do more than the app allows. */
export function refuseOptions(live: Live): void {
  const refused = problemsIn(live).find(({ isRefused }) => isRefused);
  if (refused !== undefined) throw new Error(`${refused.path} cannot be held here: ${refused.why}`);
}

const told = new WeakMap<Live, Set<string>>();

/** What is ignored and was not told yet, in one text; null where there is nothing. */
export function newlyIgnored(live: Live): string | null {
  const known = told.get(live) ?? new Set<string>();
  told.set(live, known);
  const fresh = new Map(problemsIn(live).flatMap(({ path, why }) => (known.has(path) ? [] : [[path, why]])));
  for (const path of fresh.keys()) known.add(path);
  const texts = [...fresh].map(([path, why]) => `${path} (${why})`);
  return texts.length === 0 ? null : `these options are ignored: ${texts.join(", ")}`.slice(0, LONGEST);
}

const LONGEST = 4_000;
