import { WIRE_STYLES } from "../core/catalog/wire-name.ts";
import { MODES, SKILL_TOOL_POLICIES } from "../core/scene/scene.ts";
import { INTERNAL_MARKS } from "../core/tool/tool.ts";
import type { Traits } from "../core/tool/traits.ts";
import { type ConfigNode, isEmpty } from "./config-node.ts";
import { processFields, serverShape } from "./server-shape.ts";
import { any, choice, either, flag, list, map, number, record, type Shape, text } from "./shape.ts";

const HOOK_EVENTS = {
  preToolUse: "before a call; can refuse or change it",
  postToolUse: "after a call that succeeded; entries as in `preToolUse`",
  postToolUseFailure: "after a call that failed",
  permissionRequest: "before a person is asked",
  sessionStart: "when a session starts",
  sessionEnd: "when a session ends",
  userPromptSubmitted: "when a prompt arrives",
  errorOccurred: "when a turn fails",
} as const;
export type HookEvent = keyof typeof HOOK_EVENTS;

export const HOOK_DIALECTS = ["toolcrib", "claude", "copilot"] as const;

export const BUILTIN_CHOICES = ["off", "read", "all"] as const;
export const HOST_TOOL_CHOICES = ["allow", "ask"] as const;
export const CONNECT_CHOICES = ["allow", "deny"] as const;

const names = (extra: Partial<Shape> & { about: string }) => list(text(), extra);
const union = (about: string) => names({ about, merge: "union", default: "[]" });
/** A rule with examples of what it means, which it is held to. */
const explainedRule = record(
  {
    rule: text({ about: "the rule", means: "rule" }),
    match: names({ about: "examples it has to decide: commands, paths, addresses or arguments as JSON" }),
    noMatch: names({ about: "examples it has to leave alone" }),
  },
  { required: ["rule"] },
);
const rules = (about: string, trust?: Shape["trust"]) =>
  list(either([text({ means: "rule" }), explainedRule], trust === undefined ? {} : { trust }), {
    about,
    merge: "union",
    default: "[]",
  });

const TRAITS: Readonly<Record<keyof Traits, string>> = {
  readOnly: "changes nothing",
  concurrencySafe: "may run beside other calls; follows `readOnly` when left out",
  idempotent: "a second call with the same input changes nothing more",
  interrupt: "what an interrupt does to a running call",
  abortSiblings: "its failure ends the calls beside it",
  hostShell: "runs commands on the host",
  openWorld: "reaches beyond this machine",
};
const traits = Object.fromEntries(
  Object.entries(TRAITS).map(([name, about]) => [
    name,
    name === "interrupt" ? choice(["cancel", "finish"], { about }) : flag({ about }),
  ]),
);

const hook = record(
  {
    matcher: text({ about: "which tools; all when left out", blank: true }),
    if: text({ about: "a permission rule: only calls that it means", means: "rule" }),
    command: text({ about: "shell command; the call arrives as JSON on its standard input" }),
    args: list(text({ blank: true }), { about: "with them `command` is a program, and no shell reads it" }),
    cwd: text({ about: "folder it runs in, relative to the workspace, which it is when left out" }),
    env: map(text({ blank: true }), { about: "variables added to its environment; `${VAR}` is replaced" }),
    timeout: number(1, { about: "seconds" }),
    async: flag({ about: "nobody waits for it, and what it says decides nothing" }),
    dialect: choice(HOOK_DIALECTS, { about: "whose names and fields it is written for", default: "toolcrib" }),
    onFailure: choice(["block", "continue"], { about: "what a hook that fails means for the call" }),
  },
  { required: ["command"], trust: { what: "hook" } },
);

/** A custom agent, in a file's `agents` and in the front matter of an agent file. */
export const agentShape = record(
  {
    name: text({ about: "what `agent` and `--agent` select it by" }),
    description: text({ about: "what it is for", blank: true }),
    prompt: text({ about: "its part of the system prompt", blank: true }),
    tools: names({ about: 'the tools it gets; `["*"]` or nothing is all', nullable: true }),
    disallowedTools: names({ about: "tools it never gets" }),
    toolGroups: names({ about: "groups it may use", nullable: true }),
    mcpServers: map(serverShape, { about: "servers of its own, in the shape of the file's `mcpServers`" }),
    skills: names({ about: "skills that are active from its start" }),
    model: text({ about: "the model it works with", nullable: true }),
    defer: choice(["auto", "never"], {
      about: "whether tools it names may wait behind `tool_search`",
      default: "auto",
    }),
    coordinator: flag({ about: "it directs other agents, and gets tools marked `coordinator-only`", default: "false" }),
  },
  { required: ["name"] },
);

const serverMatch = either([
  text(),
  record(
    {
      serverName: text({ about: "the configured name" }),
      serverUrl: text({ about: "the address; `*` stands for anything" }),
      serverCommand: list(text(), { about: "the exact command line" }),
    },
    { oneOf: ["serverName", "serverUrl", "serverCommand"] },
  ),
]);

/** `off` and `read` can only narrow what a person gets; all else has to be trusted. */
const builtins = (about: string) =>
  either([choice(BUILTIN_CHOICES), list(text())], {
    about,
    merge: "replace",
    trust: { what: "built-in tools", when: (node) => !isOneOf(node, ["off", "read"]) && !isEmpty(node) },
  });

/** Everything a configuration file may say. */
export const fileShape = record({
  $schema: text({ about: "address of the JSON Schema, for editors" }),
  tools: list(
    record(
      {
        name: text({ about: "label for people; the tool's own name routes" }),
        group: text({ about: "its group, for `toolGroups`", nullable: true }),
        use: text({ about: "`module:export`, relative to this file or a package", means: "use" }),
        id: text({ about: "its identifier, where that is not its name" }),
        feature: text({ about: "the feature flag without which it is not offered" }),
        internal: choice(INTERNAL_MARKS, { about: "who alone may use it" }),
        options: map(any(), { about: "handed to the export when it is a function that makes the tool" }),
      },
      { required: ["name", "use"], trust: { what: "module tool" } },
    ),
    { about: "tools loaded from modules", merge: "by-name", default: "[]" },
  ),
  toolGroups: names({
    about: "groups of tools that count; null is all",
    nullable: true,
    narrow: true,
    default: "null",
  }),
  toolsets: map(
    either([
      list(text()),
      record(
        {
          id: text({ about: "its identifier; `toolset:` and its name when left out" }),
          members: names({ about: "the tools in it" }),
        },
        { required: ["members"] },
      ),
    ]),
    { about: "names for several tools", default: "{}" },
  ),
  toolOverrides: map(
    record({
      name: text({ about: "another wire name" }),
      description: text({ about: "another description", blank: true }),
      timeout: number(1, { about: "milliseconds a call may take" }),
      defer: choice(["auto", "never"], { about: "whether it may wait behind `tool_search`" }),
      group: text({ about: "its group" }),
      id: text({ about: "another identifier" }),
      feature: text({ about: "the feature flag without which it is not offered" }),
      internal: choice(INTERNAL_MARKS, { about: "who alone may use it", trust: { what: "internal mark" } }),
      examples: names({ about: "requests that it answers, for `tool_search` to find it by" }),
      traits: record(traits, { about: "what it promises", trust: { what: "changed promises" } }),
    }),
    { about: "changes to single tools, by any identifier", default: "{}" },
  ),
  builtins: builtins("which built-in tools there are; each program has a default of its own"),
  mcpServers: map(serverShape, { about: "MCP servers, in the shape of `.mcp.json`", default: "{}" }),
  extensions: list(
    record(
      { name: text({ about: "what it is called" }), ...processFields },
      { required: ["name", "command"], trust: { what: "extension" } },
    ),
    { about: "processes that register tools over JSON-RPC", merge: "by-name", default: "[]" },
  ),
  checks: list(
    record(
      {
        name: text({ about: "what it is called" }),
        command: list(text(), { about: "the command line, one word each" }),
        timeout: number(1, { about: "milliseconds" }),
      },
      { required: ["name", "command"], trust: { what: "check" } },
    ),
    { about: "the project's own checks, which the tool `validate` runs", merge: "by-name", default: "[]" },
  ),
  skillDirectories: list(text({ trust: { what: "skill folder" } }), {
    about: "folders of skills; a later one beats an earlier one",
    merge: "append",
    default: "[]",
  }),
  disabledSkills: union("skills that are not loaded"),
  skillToolPolicy: choice(SKILL_TOOL_POLICIES, { about: "what a skill's `allowed-tools` mean", default: "restrict" }),
  agents: list(agentShape, { about: "custom agents; also read from agent files", merge: "by-name", default: "[]" }),
  agent: text({ about: "the selected agent", nullable: true, default: "null" }),
  defaultAgent: record(
    { excludedTools: union("tools it does not get") },
    { about: "the agent that works while none is selected" },
  ),
  includeTools: names({ about: "only these tools; null is all", nullable: true, default: "null" }),
  excludeTools: union("all but these tools"),
  availableTools: names({ about: "the same as `includeTools`", nullable: true, aliasOf: "includeTools" }),
  excludedTools: names({ about: "the same as `excludeTools`", aliasOf: "excludeTools" }),
  features: map(flag(), {
    about: "feature flags; an absent one is off; `memory` turns memory on, `schedule` tools that need a schedule",
    default: "{}",
  }),
  permissions: record(
    {
      mode: choice(MODES, {
        about: "how much is asked",
        default: "default",
        trust: { what: "permission mode", when: (node) => isOneOf(node, ["bypass", "accept-edits", "autopilot"]) },
      }),
      allow: rules("calls that run without asking", { what: "allow rule" }),
      additionalDirectories: list(text({ trust: { what: "further folder" } }), {
        about: "folders beside the workspace that file and shell tools may use",
        merge: "union",
        default: "[]",
      }),
      ask: rules("calls that are always asked about"),
      deny: rules("calls that never run"),
      hostTools: choice(HOST_TOOL_CHOICES, {
        about: "whether tools that the host defines in its own code run when nothing else decides",
        default: "allow",
        trust: { what: "host tools", when: (node) => !isOneOf(node, ["ask"]) },
      }),
    },
    { about: "who may run what" },
  ),
  hooks: record(
    Object.fromEntries(
      Object.entries(HOOK_EVENTS).map(([event, about]) => [event, list(hook, { about, merge: "union" })]),
    ),
    { about: "commands that see calls and decide about them" },
  ),
  toolSearch: either(
    [
      choice(["auto", "on", "off"]),
      record({
        threshold: number(0, { about: "tools above which deferral starts" }),
        percent: number(0, { about: "share of the model's window above which it starts", most: 100 }),
      }),
    ],
    { about: "when tools wait behind `tool_search`", merge: "replace", default: "auto" },
  ),
  sandbox: record(
    {
      shell: choice(["auto", "on", "off"], {
        about: "run shell tools in a sandbox",
        default: "auto",
        // A person may allow the host's shell for want of a sandbox; a project must not take the sandbox away.
        trust: { what: "sandbox setting", when: (node) => !isOneOf(node, ["on"]) },
      }),
      backend: choice(["auto", "bubblewrap", "sandbox-runtime"], {
        about: "how it is made; `auto` is bubblewrap, and the package `@anthropic-ai/sandbox-runtime` where that fails",
        default: "auto",
        trust: { what: "sandbox backend", when: (node) => isOneOf(node, ["sandbox-runtime"]) },
      }),
      allowHostShell: flag({
        about: "let shell tools run without one",
        default: "false",
        trust: { what: "host shell", when: (node) => node.kind === "scalar" && node.value === true },
      }),
    },
    { about: "where shell tools run" },
  ),
  model: either(
    [
      text(),
      record({ provider: text({ about: "who serves it" }), id: text({ about: "its id" }) }, { required: ["id"] }),
    ],
    {
      about: "the model this is for",
      merge: "replace",
      nullable: true,
      default: "null",
    },
  ),
  models: map(
    record({
      variants: list(text(), { about: "which form of a tool it takes, such as `edit:patch`" }),
      maxTools: number(1, { about: "tools it takes at once" }),
      contextWindow: number(1, { about: "tokens" }),
      instructions: text({
        about: "its part of the system prompt",
        blank: true,
        trust: { what: "model instructions" },
      }),
      capabilities: map(either([flag(), text()]), { about: "such as `vision: true`, `toolSearch: native`" }),
    }),
    { about: "facts about models, by id with `*`, on top of the shipped table", default: "{}" },
  ),
  wireNames: choice(WIRE_STYLES, { about: "how names of MCP tools are built", default: "server__tool" }),
  store: record(
    {
      url: text({
        about: "`sqlite:PATH` or `postgres://…`",
        secret: "url",
        default: "sqlite:.toolcrib/state.db",
        trust: { what: "remote store", when: (node) => !startsWith(node, "sqlite:") },
      }),
    },
    { about: "where sessions will be kept; nothing uses it yet" },
  ),
  gateway: record(
    {
      host: text({
        about: "address to listen on",
        default: "127.0.0.1",
        trust: { what: "open address", when: (node) => !isOneOf(node, ["127.0.0.1", "localhost", "::1"]) },
      }),
      port: number(0, { about: "port to listen on", most: 65_535, default: "8787" }),
      token: text({ about: "what clients must present", expands: true, secret: "all" }),
      approvals: choice(["client", "inspector", "deny"], {
        about: "who answers when a call must be asked about",
        default: "client",
      }),
      unprefixed: text({ about: "the server whose tools and prompts clients see under their own names" }),
      builtins: builtins("which built-in tools clients get; none when left out, while there are other tools"),
      knownClients: map(
        record(
          {
            ownSearch: flag({ about: "it searches tools by itself, so it gets all of them", nullable: true }),
            maxTools: number(1, { about: "tools it takes at most", nullable: true }),
            listChanged: flag({ about: "it asks again when the list of tools changes", nullable: true }),
          },
          { trust: { what: "facts about a client" } },
        ),
        { about: "facts about clients, by the beginning of their name, on top of the shipped table", default: "{}" },
      ),
      clients: list(
        record(
          {
            name: text({ about: "what people call it" }),
            token: text({ about: "what this client presents", expands: true, secret: "all" }),
            agent: text({ about: "the agent it is bound to" }),
            include: names({ about: "only these tools" }),
            exclude: names({ about: "all but these tools" }),
          },
          { required: ["token"], trust: { what: "gateway client" } },
        ),
        { about: "clients with a scene of their own" },
      ),
    },
    { about: "the MCP gateway" },
  ),
  policy: record(
    {
      allowedMcpServers: list(serverMatch, { about: "when set, only these servers", narrow: true }),
      deniedMcpServers: list(serverMatch, { about: "never these servers", merge: "union" }),
      deniedTools: names({ about: "never these tools", merge: "union" }),
      connect: choice(CONNECT_CHOICES, { about: "whether `toolcrib connect` may attach", default: "allow" }),
    },
    { about: "what an organisation decides", policyOnly: true },
  ),
});

function isOneOf(node: ConfigNode, values: readonly string[]): boolean {
  return node.kind === "scalar" && typeof node.value === "string" && values.includes(node.value);
}

function startsWith(node: ConfigNode, prefix: string): boolean {
  return node.kind === "scalar" && typeof node.value === "string" && node.value.startsWith(prefix);
}
