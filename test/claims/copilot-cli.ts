import { type ClaimedSystem, differs, works } from "./claim.ts";

const SEED = "test/seeds/copilot-runtime.test.ts";
const SUBAGENTS = "test/seeds/subagents.test.ts";
const NESTED = "src/runtime/agents/nested-agents.test.ts";
const TREE = "src/runtime/agents/agent-tree.test.ts";
const EVENTS = "test/copilot/event-order.test.ts";
const CREATE = "src/runtime/session/create-session.test.ts";
const OPTIONS = "src/runtime/session/options/check-options.test.ts";
const LIBRARY = "src/runtime/session/options/library-defaults.test.ts";
const PROMPT = "src/runtime/session/conversation/prompt-and-marks.test.ts";
const SESSION = "src/runtime/session/tools/session.test.ts";
const SHELL = "src/sources/builtin/shell/shell-tools.test.ts";
const STEPS = "src/sources/builtin/session/session-tools.test.ts";
const AGENT_ROWS = "test/behaviours/rows/agent-rows.ts";
const TOOL_ROWS = "test/behaviours/rows/tool-rows.ts";
const RUN = "src/surfaces/cli/agent/run-command.test.ts";
const SCENE = "src/core/gates/scene-gates.test.ts";
const EXTERNAL = "src/sources/external/external-source.test.ts";
const SET = "test/copilot/what-apps-set.test.ts";
const GUARDS = "test/copilot/project-guards.test.ts";

/** Which tools a session has: those that its model sees, and those that run. */
export const COPILOT_CLI: ClaimedSystem = {
  title: "Copilot CLI",
  about:
    "Before a model is asked, the runtime gathers tools, filters them for session, agent and model, and says when they changed. `toolcrib run` and `toolcrib chat` are the command line, `toolcrib rpc` the runtime for clients, and a program of the library has the same options.",
  parts: {
    "From candidates to tools": [
      works(
        "built-in tools, those of servers and those of the app are gathered, then filtered",
        "test/seeds/copilot-sdk.test.ts",
        "access-allow-deny-interaction: neither means built-in, custom and MCP tools",
      ),
      works(
        "what a model is sent is a definition alone; the code that runs stays behind",
        "src/core/tool/define-tool.test.ts",
        "a definition becomes an external tool, with the code apart from the data",
      ),
      works(
        "a tool may be there without standing in the prompt",
        "test/seeds/deerflow-gates.test.ts",
        "D33: search on, two MCP and one local: the local one and tool_search; the prompt lists two names, sorted",
      ),
      differs(
        "a deferred tool runs when a model calls it by name",
        "nothing runs, and the model is told to search first: without the schema its arguments are a guess",
        "src/runtime/session/conversation/exchange.test.ts",
        "a deferred tool is answered with what to do, and runs once a search has loaded it (D6)",
      ),
      works(
        "each provider is sent tools in its own form",
        "test/dialects/payloads.test.ts",
        "sends built-ins first and counts them, in payload order (C1)",
      ),
      works(
        "the system text names the tools that there are",
        "src/core/toolset/prompt-sections.test.ts",
        "name the tools that %s has (P3)",
      ),
    ],
    "What a session is opened with": [
      works(
        "lists of tools, on the command line as in a client",
        RUN,
        "names that nothing has are reported, as list does",
      ),
      works(
        "a model, also changed in the middle of a conversation",
        "src/surfaces/cli/agent/chat-command.test.ts",
        "/model takes another model for what comes next, and keeps the old one where it cannot",
      ),
      works(
        "a provider of your own, by its kind and address",
        "test/copilot/options.test.ts",
        "a provider at Azure is asked at its deployment with its own header, or on the way without versions",
      ),
      works(
        "several providers with models of their own",
        "test/copilot/models.test.ts",
        "tools are those of the model, also once another one is chosen, and of the model that a registered one is",
      ),
      works("a shell or none", CREATE, "a session has built-ins and the program's own tools"),
      works(
        "a sandbox for commands, or none",
        "test/copilot/options.test.ts",
        "an app that wants a sandbox gets no commands where there is none, and one that wants none has them there",
      ),
      works(
        "an agent that works in the session",
        "src/surfaces/cli/agent/chat-command.test.ts",
        "/agent selects who works",
      ),
      works(
        "plugins",
        "src/surfaces/cli/plugins/plugins-command.test.ts",
        "add takes a folder or an archive, shows what it brings, and asks; remove takes it away (B9)",
      ),
      works(
        "in prompt mode nobody is asked: what no rule allows is denied",
        RUN,
        "with nobody there a call that changes something is denied, and the run goes on (T11)",
      ),
      works(
        "output of a run as text, JSON or one event a line",
        RUN,
        "stream-json prints each event as a line, the call with its result among them",
      ),
      works(
        "a run or a kept session as a document",
        "src/surfaces/cli/stored/sessions-command.test.ts",
        "run --export writes the session to a new file, and says at once what cannot be written",
      ),
      works(
        "what the model says is shown as it is written",
        RUN,
        "on a terminal everything that the model says is shown as it comes",
      ),
      works(
        "options can be changed while the session is open",
        OPTIONS,
        "a list is replaced under either of its names, and both at once are a mistake",
      ),
      works(
        "servers join and leave with the options",
        "test/seeds/from-outside.test.ts",
        "a server joins an open session with its options, and leaves it with them",
      ),
      works(
        "tools and the lists that name them change together",
        OPTIONS,
        "updateOptions takes new tools and the lists that name them together, or neither",
      ),
      works(
        "a resumed session takes other servers, lists and tools",
        SET,
        "a resumed session has the servers, lists and tools that the app gives it then, and none of those before",
      ),
      works(
        "events of a session are kept, and read again in another process",
        "test/copilot/runtime.test.ts",
        "a session goes on in another process, and is gone once it is deleted",
      ),
    ],
    "Built-in tools": [
      works(
        "run a command, in the foreground or on",
        SHELL,
        "that outlast the wait go on, and are followed to their end",
      ),
      works("read and write what runs", SHELL, "in the background take input"),
      works("stop it with all that it started", SHELL, "are stopped with everything they started"),
      works("a terminal where one is asked for, a plain process otherwise", SHELL, "gives a terminal only when asked"),
      works(
        "memory where it is on: of your own",
        LIBRARY,
        "a memory of the program's own brings the two tools that use it",
      ),
      works(
        "memory in a file of this machine",
        "src/sources/builtin/session/file-memory.test.ts",
        "gives back what was stored, newest first, also to a later session",
      ),
      works(
        "memory that a server keeps",
        "src/sources/builtin/web/web-search.test.ts",
        "memories can be kept by a server",
      ),
      works(
        "editing as the model knows it: `edit` or `apply_patch`",
        AGENT_ROWS,
        "a model has the tools that it knows, and another model has its own, in the system text too",
      ),
      works(
        "one editor with commands for models that want that",
        "src/sources/builtin/files/editor.test.ts",
        "sees that form alone, and is told why the others are hidden",
      ),
      works(
        "the project's checks",
        "src/sources/builtin/shell/validate.test.ts",
        "all checks run, and those that fail show the end of their output",
      ),
      works("a tool for thinking", STEPS, "think changes nothing and says so in a word"),
      works("the documentation of the product", STEPS, "finds something in what this package ships"),
      works(
        "skills, named to models that can load them",
        PROMPT,
        "skills that wait are named to the model until they are loaded, and only where it can load them",
      ),
      works(
        "instructions of the project for the files at hand",
        "src/sources/builtin/session/project-instructions.test.ts",
        "gives the instructions whose applyTo fits the file, framed and scanned, and no others",
      ),
      works(
        "`ask_user`, questions of servers and others only where somebody can answer",
        SCENE,
        "%s is missing until the host has it",
      ),
      works(
        "what a server asks reaches the person, and the answer the server",
        LIBRARY,
        "what an MCP server asks people reaches the program, and its answer the server",
      ),
      works(
        "tools for a workspace only where there is one",
        SCENE,
        "a workspace is there unless the host says otherwise",
      ),
      works(
        "plans and files of a session that is kept",
        "src/sources/builtin/session/session-files.test.ts",
        "plan and session_files are there where the session is stored, and hidden with the reason elsewhere",
      ),
      works("`task_complete` in autopilot", AGENT_ROWS, "autopilot offers `task_complete`, which ends the run"),
      works(
        "a way out of planning while planning",
        "src/runtime/permissions/modes.test.ts",
        "each mode has its own way out: exit_plan_mode while planning, task_complete on autopilot",
      ),
      works(
        "schedules where they are on",
        "src/surfaces/cli/agent/schedules-command.test.ts",
        "a model keeps one where the feature is on and somebody allows the call; else the tool is not there (B7)",
      ),
      works(
        "schedules in sessions of clients",
        "test/copilot/persons-files.test.ts",
        "a schedule that a model keeps is one of the workspace, which the app lists and stops",
      ),
      works("what a model is like decides which form of a tool it gets", SCENE, "variants %j pick %j"),
      works(
        "a model has a part of the prompt of its own",
        PROMPT,
        "what a host says about its tool and about a model is in the prompt",
      ),
      works(
        "a model that cannot search gets all tools at once",
        SEED,
        "a model that cannot search gets them inline too (D1)",
      ),
      works(
        "features switch tools on and off",
        "test/seeds/from-outside.test.ts",
        "schedules are a feature, so that tools which need one can be had",
      ),
    ],
    "Servers and tools of others": [
      works(
        "a server's own list of tools is kept to",
        "test/seeds/copilot-sdk.test.ts",
        "a list keeps only these tools",
      ),
      works(
        "a server's instructions are in the prompt, marked as its own words",
        "src/core/toolset/prompt-sections.test.ts",
        "a server's instructions are labelled, cleaned and cut",
      ),
      works(
        "GitHub's server is asked for sets and single tools by headers",
        "test/copilot/app-servers.test.ts",
        "GitHub's own server is asked for the sets and tools that the app wants",
      ),
      works(
        "an agent brings servers of its own",
        "test/behaviours/rows/server-rows.ts",
        "an agent has its own server in place of the app's of the same name",
      ),
      works(
        "a client registers tools with its session",
        "test/copilot/runtime.test.ts",
        "a client's tool runs with the arguments that its hook changed, once its permission handler allowed it",
      ),
      works(
        "extensions register tools after they were found and started",
        "src/sources/extension/extension-source.test.ts",
        "belong to the extension and are untrusted",
      ),
      works(
        "of tools with one name that of the host stays, then a client's, then an extension's",
        SEED,
        "host, then connection, then extension: the earlier definition wins, in whatever order they arrive (N6)",
      ),
      works(
        "of several clients each keeps its own tools",
        EXTERNAL,
        "closing one takes only its tools away, and fails only its calls",
      ),
      works(
        "a changed name, description, title, schema or flag is a change",
        SEED,
        "the signature covers the %s (N10)",
      ),
      works(
        "the same definition again is none",
        EXTERNAL,
        "tells nobody when definitions are equal, keeps the objects, and takes the new handler",
      ),
      works(
        "a call of such a tool asks for permission, and then the client to run it",
        "test/copilot/runtime.test.ts",
        "a client's tool runs with the arguments that its hook changed, once its permission handler allowed it",
      ),
      works(
        "it is asked once, and the first answer counts",
        EXTERNAL,
        "to a connection is requested and completed once, and a second answer is nobody's",
      ),
      works(
        "a schema that is no object is left out; none at all is fine",
        SEED,
        "invalid schemas are ignored: absent or of type object is valid",
      ),
      works(
        "a tool with a built-in's name needs `overridesBuiltInTool`, and is an error otherwise",
        SEED,
        "sharing a built-in's name without overridesBuiltInTool is an error at creation",
      ),
      works(
        "with it, it takes the name, and the built-in one is gone",
        SEED,
        "an explicit override takes the name, metadata included, and the built-in leaves the executable set",
      ),
    ],
    "Filters and agents": [
      works(
        "`availableTools`: only what it names",
        SEED,
        "availableTools is set: only the names listed in it are enabled",
      ),
      works(
        "`excludedTools` alone: all but what it names",
        SEED,
        "no allowlist, excludedTools is set: its names are disabled",
      ),
      works("neither: every tool", SEED, "neither is set: the tool is enabled"),
      differs(
        "`availableTools` makes `excludedTools` idle",
        "both count, as the SDK says; `filterPrecedence: include` is the older rule",
        SEED,
        "an allowlist makes the exclude list idle only with filterPrecedence include, the old rule of this seed (F1)",
      ),
      works(
        "which tools a list took away is told, as `session.info`",
        PROMPT,
        "an exclude list that takes tools away is reported once, under the name that the program used",
      ),
      differs(
        "unknown names are told as `session.info` too",
        "as `session.warning`: a list that means nothing protects nobody",
        GUARDS,
        "a filter that matches no tool is told to the app",
      ),
      works(
        "an agent with `*` or no list keeps most tools, without those for below the top level",
        SEED,
        "agent %s with * or no tools: all but top-level-incompatible helpers",
      ),
      works(
        "an agent with names keeps these",
        SEED,
        "an agent with named tools: only those, and an incompatible one stays hidden although it is named",
      ),
      works("and what its mode needs", SEED, "mandatory support tools come along in their mode only"),
      works(
        "without an agent `defaultAgent.excludedTools` and tools for dynamic context go",
        SEED,
        "no agent: default exclusions and dynamic-context tools go",
      ),
      works(
        "unless there is an `availableTools`",
        SEED,
        "no agent, but an explicit allowlist: the default exclusions do not apply",
      ),
      works(
        "`availableTools` and an agent's list are two things, and both count",
        SEED,
        "availableTools and an agent's tools are not the same: both must agree",
      ),
      works(
        "`requestedTools` narrow a session as an agent's list does",
        NESTED,
        "are all that there are, with what the mode needs; nothing hidden comes back (A4)",
      ),
    ],
    "Tools that wait behind a search": [
      works(
        "from 31 tools on, those of servers and clients wait, in clients too",
        TOOL_ROWS,
        "more than thirty tools are searched for",
      ),
      works("built-in ones stay", "src/core/toolset/budget.test.ts", "%s tools: %j"),
      works("it can be switched off", SEED, "switched off, all schemas are inline"),
      works(
        "words and regular expressions find a tool by name and description",
        "src/core/search/search-tools.test.ts",
        "looks into names first and then into descriptions, in catalog order and without regard to case",
      ),
      differs(
        "the search is called `tool_search_tool_regex`",
        "it is called `tool_search`, because it takes words too",
        TOOL_ROWS,
        "more than thirty tools are searched for",
      ),
    ],
    "Changes while a turn runs": [
      works(
        "tools that a client sets are there for the next request of the same turn",
        GUARDS,
        "tools that an app sets while a turn runs are there for its next request",
      ),
      works(
        "filters are applied again, at once where they take away",
        SESSION,
        "E1: narrowing bites at once, widening waits for the next request",
      ),
      works(
        "a change that cannot be taken over warns once, and the turn goes on with the tools before",
        SESSION,
        "E2: a change that cannot be taken over leaves the old toolset and warns once",
      ),
      differs(
        "a tool that clashes with a built-in one keeps all others back",
        "it costs itself alone, and what came with it arrives",
        "src/runtime/session/tools/clashing-tools.test.ts",
        "tools that a host registers later with such a name hold nothing back either, and are told once",
      ),
    ],
    "Agents below agents": [
      works(
        "a child gets the tools that its agent names, of its parent's servers and clients",
        SUBAGENTS,
        "subagent session creation passes requested tools, inherited servers, external definitions",
      ),
      works(
        "without a list it gets those of its parent, merged",
        SUBAGENTS,
        "merges the child tool list, parent MCP tools, external tools",
      ),
      works("the parent's filter holds for it", SUBAGENTS, "the merged list is filtered with the parent's filter"),
      works(
        "what waits is worked out for its own list",
        SUBAGENTS,
        "the merged list is stripped of deferred-loading hints: they are worked out for the child's own list",
      ),
      works(
        "a long list of its own is searched",
        SUBAGENTS,
        "where the child's own list is too long, search is injected for it too",
      ),
      works("its commands run where its parent's do", SUBAGENTS, "a child's commands run where its parent's do"),
      works("it has a system text of its own", SUBAGENTS, "the child session builds a replacement system prompt"),
      works(
        "helpers for below the top level are there for it",
        SUBAGENTS,
        "sidekick and peer tools: helpers for below the top level are there for a child, and not for a custom agent on top",
      ),
      differs(
        "of two sources with one name the later replaces the earlier",
        "the first in the order of sources keeps it, so that no server takes over a name; an agent's own server stands in for one of the same name",
        "src/core/gates/definition-gates.test.ts",
        "the first in catalog order owns a name: built-in, module, skill, agent",
      ),
      works("it is asked with its own model", AGENT_ROWS, "an agent is asked with its own model, and has its tools"),
      works("agents start agents, three deep", NESTED, "they are three deep at most (B2)"),
      works(
        "agents work in the background, and report",
        TREE,
        "it goes on while the parent is done, and its end starts a run of its own (B4)",
      ),
      works(
        "under the name that they were given",
        AGENT_ROWS,
        "an agent in the background is known by the name that it was given",
      ),
      works(
        "agents write to each other",
        NESTED,
        "reach a team by its name, and the session's own agent as main, which starts no run (B5, B6)",
      ),
      works("also in sessions of clients", AGENT_ROWS, "an agent writes to the one that it works for"),
      works(
        "a sidekick reads along and may add a note",
        NESTED,
        "a sidekick reads each turn and adds one note to the next request (B5)",
      ),
      works(
        "it does so in sessions of clients too",
        "test/copilot/persons-files.test.ts",
        "an agent of the person's that looks on does so in a session of an app, which cannot start it",
      ),
    ],
    Events: [
      works(
        "`session.tools_updated` comes at the start and with every change of model, filters, tools and clients, also for clients",
        EVENTS,
        "clients learn when the tools of their session change, and only then",
      ),
      works(
        "on resume where the tools are others",
        EVENTS,
        "a stored session tells who resumes it whether its tools are others than before",
      ),
      works(
        "in programs of the library too",
        CREATE,
        "E3: the tools are announced after the first assembly, a change of model, of filters, and of external definitions",
      ),
      works("equal definitions are no change", SESSION, "E3: nothing is announced when signatures are equal"),
      works(
        "it is passing and names the model alone: clients ask for the tools themselves",
        EVENTS,
        "clients learn when the tools of their session change, and only then",
      ),
    ],
  },
};
