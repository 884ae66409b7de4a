import { type ClaimedSystem, differs, works } from "./claim.ts";

const TOOLS = "test/behaviours/rows/tool-rows.ts";
const PROMISES = "test/behaviours/rows/promise-rows.ts";
const SERVERS = "test/behaviours/rows/server-rows.ts";
const AGENTS = "test/behaviours/rows/agent-rows.ts";
const DEFINE = "src/core/tool/define-tool.test.ts";
const RESULTS = "src/core/call/tool-result.test.ts";
const SKILLS = "src/sources/skill/load-skills.test.ts";
const LISTS = "test/seeds/copilot-sdk.test.ts";
const SET = "test/copilot/what-apps-set.test.ts";
const APP_SERVERS = "test/copilot/app-servers.test.ts";
const PYTHON = "test/copilot/clients/seed.py";
const PYTHON_ALL = "definitions, signatures, results, errors, servers, filters, lists of tools";
const NPM = "test/copilot/clients/seed.mjs";
const NPM_ALL = "definitions, Zod, results, errors, servers, filters, lists of tools, ignored options, silent hook";

/** Apps that bring tools, servers, skills and agents, and say what may run. */
export const COPILOT_SDK: ClaimedSystem = {
  title: "Copilot SDK",
  about:
    "An app of the SDK runs here unchanged, and a program of Toolcrib's own library has the same options. Rows of `test/behaviours` are run as an app of the library, of the SDK for TypeScript and of the one for Python; files in `test/copilot/clients` with the published packages. What such an app does not get is on [its page](copilot.md).",
  parts: {
    "Tools of the app": [
      works(
        "`defineTool` with a name, a description, a schema and a handler",
        DEFINE,
        "a definition becomes an external tool, with the code apart from the data",
      ),
      works(
        "the handler gets the arguments that the schema describes",
        TOOLS,
        "a text that a tool returns is what the model reads",
      ),
      works("it hears which call of which session it answers; descriptions reach the model", NPM, NPM_ALL),
      works("`@define_tool` with Pydantic models and their defaults, and a name of its own", PYTHON, PYTHON_ALL),
      works(
        "a Zod schema becomes JSON Schema, with descriptions and choices",
        DEFINE,
        "a Zod schema becomes the JSON Schema of what the model may send",
      ),
      works(
        "what the model leaves out has the schema's default",
        PROMISES,
        "a member with a default that the model leaves out reaches the handler with it",
      ),
      works(
        "JSON Schema with bounds, lists and nested objects is held before the handler runs",
        TOOLS,
        "a call whose arguments do not fit is refused before the handler",
      ),
      differs(
        "Python handlers take an `invocation` without its type, and sessions take one dict of options",
        "that is for the client to decide, and today's takes `invocation: ToolInvocation` and keywords; both work with it",
        PYTHON,
        PYTHON_ALL,
      ),
    ],
    "What a tool returns": [
      works("a text is what the model reads", RESULTS, "a string is the text"),
      works("an object or list becomes JSON", TOOLS, "a value that a tool returns is read as JSON"),
      works("nothing is a failure, for a tool of the library", RESULTS, "%s is a failure"),
      differs(
        "nothing is a failure, for an app of the SDK",
        "its clients send an empty text in place of nothing, which nobody can tell from one that was meant: it is a success, and the turn goes on",
        "test/copilot/promises.test.ts",
        "a handler that returns nothing has succeeded with an empty text, however its client writes nothing",
      ),
      works("a whole result passes as it is: text, pictures, type, metrics", RESULTS, "a whole result passes through"),
      works("the types success, failure, rejected and denied", RESULTS, "the result type %s is kept (X9)"),
      works(
        "`error` and `sessionLog` are for people: they are in the session's events, and no model reads them",
        PROMISES,
        "what a tool says to people is in events, and the model does not read it",
      ),
      works(
        "what a handler throws stays in the app; the model reads a general text",
        TOOLS,
        "the message of an error that a handler throws stays in the app",
      ),
      works(
        "that text says that invoking the tool produced an error",
        RESULTS,
        "the model never sees the message, the log does",
      ),
      works(
        "a failure with words of your own is what the model reads",
        "test/copilot/promises.test.ts",
        "what a tool writes for people is in events, at once and later, and the model does not read it",
      ),
    ],
    "MCP servers": [
      works(
        "local servers by command, arguments, environment and folder",
        "test/fault/mcp-calls.test.ts",
        "a process gets the environment without its secrets, its own, and its folder",
      ),
      works(
        "servers over HTTP and SSE",
        "src/sources/mcp/real-servers.test.ts",
        "everything over %s: lists, answers and reports progress",
      ),
      works(
        "headers go with every request",
        "test/fault/mcp-http.test.ts",
        "lists, calls, reports progress, sends the headers, and says goodbye",
      ),
      works(
        "headers are not carried to another host",
        "test/fault/mcp-http.test.ts",
        "headers are not carried to another origin",
      ),
      works("`tools` of a server keeps those that it names", LISTS, "a list keeps only these tools"),
      works(
        '`[]` keeps none, `["*"]` and no list keep all',
        LISTS,
        "an empty list exposes none, a star exposes all, and so does no list",
      ),
      works(
        "`timeout` ends a call, and the turn goes on with a failure",
        SET,
        "a server of the app that is slow is ended at the time that the app gave it, and the turn goes on",
      ),
      works(
        "a resumed session has the servers that it is given then",
        SET,
        "a resumed session has the servers, lists and tools that the app gives it then, and none of those before",
      ),
      works("`mcp_servers` of a Python app", PYTHON, PYTHON_ALL),
      works(
        "values of `env` are taken as they are written",
        APP_SERVERS,
        "an app's server gets what the app gave it, and no secret of the runtime's environment",
      ),
      works(
        "servers are started, connected and listed without a word of the app, beside its own and the built-in tools",
        SERVERS,
        "a server that fails is told to the app with its own last words, and the others work",
      ),
      works(
        "tools of equal names on two servers do not hide each other",
        LISTS,
        "same-name tools across servers do not shadow each other",
      ),
    ],
    "When something is missing": [
      works(
        "a server that does not start says why, in its own last words",
        APP_SERVERS,
        "a server that fails is told to the app with its last words, by status, warning and list",
      ),
      works(
        "one that wants a login says so, and what to do",
        "test/fault/mcp-http.test.ts",
        "%s: needs-auth with what to do, no retries, no token in any text",
      ),
      works(
        "a name in a list that no tool has is told",
        "test/copilot/project-guards.test.ts",
        "a filter that matches no tool is told to the app",
      ),
      works(
        "a slow server gets the time it needs to start",
        "src/sources/mcp/start-time.test.ts",
        "its entry has the last word",
      ),
      works(
        '`logLevel: "debug"` logs the protocol, without secrets',
        "test/copilot/wire-log.test.ts",
        "debug logs requests, answers and events, with ids and kinds, and nothing that may be secret",
      ),
      works(
        "`tool.execution_start` and `tool.execution_complete` tell of each call, once each",
        TOOLS,
        "a call begins once and ends once, in this order",
      ),
    ],
    Skills: [
      works(
        "a folder with `skill.json`, prompts and tools, with every field of the manifest",
        SKILLS,
        "seed 002, skill-directory-structure and skill-manifest",
      ),
      works(
        "prompts of a skill are part of what the model reads",
        "src/core/toolset/prompt-sections.test.ts",
        "stand in the order of stability, deferred names last (P2)",
      ),
      works(
        "tools of a skill can be called",
        "src/sources/skill/skill-source.test.ts",
        "that is a command gets its input as JSON, in its own folder, through the sandbox",
      ),
      works(
        "`skillDirectories` may be relative, begin with `~`, be a skill or hold several",
        SKILLS,
        "may be a skill or hold skills, start with ~, and lead through links",
      ),
      works(
        "`disabledSkills` are not loaded",
        SKILLS,
        "disabled skills are not loaded, and a name that nobody has is told",
      ),
      works("later folders replace tools of the same name", SKILLS, "later ones override tools of the same name (N7)"),
      works(
        "`skill.invoked` tells of a skill once it is loaded",
        PROMISES,
        "a skill.json skill is told of once it is loaded",
      ),
      works(
        "a `SKILL.md` is loaded when the model asks for it",
        "test/copilot/promises.test.ts",
        "a skill.json skill is told of as it is loaded, a SKILL.md one once the model loads it, and neither again",
      ),
    ],
    "Which tools there are": [
      works("`availableTools`: these and no others", TOOLS, "only available tools are shown to the model"),
      works("`excludedTools`: all but these", TOOLS, "excluded tools are not shown to the model"),
      works(
        "both: first the one, then the other",
        LISTS,
        "access-allow-deny-interaction: availableTools first, then excludedTools removes from that set",
      ),
      works(
        "neither: built-in tools, the app's and those of servers",
        LISTS,
        "access-allow-deny-interaction: neither means built-in, custom and MCP tools",
      ),
      works(
        "a custom agent has the tools that it names",
        LISTS,
        "access-custom-agents: a researcher has its two tools",
      ),
      works(
        "a custom agent is asked with its own model",
        AGENTS,
        "an agent is asked with its own model, and has its tools",
      ),
      works(
        "`subagent.started`, `completed` and `failed` tell of it",
        "test/seeds/subagents.test.ts",
        "custom agents fire subagent.started, subagent.completed, subagent.failed; selecting one is told too",
      ),
      works("`task` describes the agents that it takes", AGENTS, "`task` describes the agents that it takes"),
      works(
        "`web_search` where a search engine is set up",
        "test/copilot/project-guards.test.ts",
        "a search engine and a memory that a person set up are there for an app; those of an untrusted project are not",
      ),
      works(
        "`web_fetch` reads pages",
        "src/sources/builtin/web/web-fetch.test.ts",
        "comes as its title, address and readable text",
      ),
      works(
        "`tools.list` describes the tools that sessions of a model have",
        "test/copilot/agents.test.ts",
        "`tools.list` describes the tools that sessions of a model have",
      ),
      differs(
        'an app calls `rpc["tools.list"]()`',
        "that is for the client to decide: today's has `rpc.tools.list({})`",
        NPM,
        NPM_ALL,
      ),
      works("tools of servers have a name with the server in front", NPM, NPM_ALL),
    ],
    "The way of a call": [
      differs(
        "permission is asked first, then the hook runs",
        "the hook runs first, so that a person decides on what will really run",
        "test/copilot/runtime.test.ts",
        "a client's tool runs with the arguments that its hook changed, once its permission handler allowed it",
      ),
      works(
        "a hook may change the arguments",
        "test/copilot/runtime.test.ts",
        "a client's tool runs with the arguments that its hook changed, once its permission handler allowed it",
      ),
      works(
        "a hook may allow or deny the call, without a permission handler",
        SET,
        "a hook of the app allows and denies calls by itself, and the model reads why",
      ),
      works("a hook may change the result", SET, "a hook of the app changes what the model reads of a result"),
      works(
        "the permission handler is told the kind of the call, its tool and its arguments",
        "test/copilot/runtime.test.ts",
        "a client's tool runs with the arguments that its hook changed, once its permission handler allowed it",
      ),
      works(
        'the permission handler allows a call by `{ decision: "allow" }`',
        PROMISES,
        "a handler that answers with a decision allows a call",
      ),
      works(
        "it denies one, and the model reads the reason",
        PROMISES,
        "a handler that answers with a decision denies a call, and the model reads its reason",
      ),
      works(
        "without a handler a call is denied",
        "test/copilot/promises.test.ts",
        "a call that an app without a handler never decides about is denied, and app and model read why",
      ),
      differs(
        "it is denied without a word, and at once",
        "the SDK leaves such a question open for an app that answers it later, so that it is denied after 30 seconds; app and model read why",
        "test/copilot/promises.test.ts",
        "an app that looks for questions itself, and one that has left, has all the time it wants",
      ),
      works(
        "a tool of a program of the library has a time-out, and ends as a failure",
        "src/runtime/executor/executor.test.ts",
        "a call that takes too long is aborted and says so (X11)",
      ),
      differs(
        "a tool of an app has one too",
        "its handler may wait for a person; `abort` ends the wait, and so does the end of the client",
        "test/copilot/silent-client.test.ts",
        "abort frees a session whose client never answers %s",
      ),
      works(
        "the result goes back to the model, which goes on",
        TOOLS,
        "a text that a tool returns is what the model reads",
      ),
    ],
  },
};
