import { type ClaimedSystem, differs, works } from "./claim.ts";

const GATES = "test/seeds/deerflow-gates.test.ts";
const MODULES = "src/sources/module/module-source.test.ts";
const OUTSIDE = "test/seeds/from-outside.test.ts";
const FILES = "src/config/import/import-deerflow.test.ts";
const SEARCH = "src/runtime/session/search/search-source.test.ts";

/** Which tools a run is given, by gates in two stages. */
export const DEERFLOW: ClaimedSystem = {
  title: "DeerFlow",
  about:
    "Which tools a run is given is worked out for that run. The gates are the same, and `toolcrib why` names each that a tool did not pass. Tools of the configuration are modules of JavaScript here; what `init` makes of your files is in the [configuration](configuration.md#what-init-makes-of-deerflows-files).",
  parts: {
    "Gathering and deciding": [
      works(
        "what a run sees is worked out for that run: its configuration, agent, model, sandbox and skills decide",
        GATES,
        "the gates speak in the order of the flow: groups, host shell, model, then duplicates, skills, deferral",
      ),
      works(
        "candidates are gathered first, and the rules are applied to them afterwards: what is taken away stays known",
        "src/core/toolset/explain-and-diff.test.ts",
        "gives every reason with its place, every gate that passed, and all that has to change",
      ),
      works(
        "the model is given only what is left in the end",
        "test/dialects/payloads.test.ts",
        "sends no hidden tool, and no schema of a deferred one into the context (D7)",
      ),
      works(
        "tools of the configuration, built-in ones, those of servers and of agents stand in one list",
        "test/seeds/claude-code.test.ts",
        "every other kind of source stands between built-ins and MCP or behind MCP, never in the prefix (C1)",
      ),
      works(
        "when a tool is missing, every gate that took it away is named, with the file and line of its key",
        "src/surfaces/cli/ask/why-command.test.ts",
        "reasons point at the line of the file",
      ),
    ],
    "The gates": [
      works(
        "`tool_groups` keep tools of these groups",
        GATES,
        "D02: groups [web] keep the web tool, built-ins and MCP tools without a group",
      ),
      works("without groups all tools of the configuration are there", GATES, "D01: no groups set, all config tools"),
      works(
        "a custom agent has groups of its own",
        "src/core/gates/scene-gates.test.ts",
        "the agent's groups narrow further, and both reasons show",
      ),
      works(
        "a shell on the host is left out unless somebody allows it",
        GATES,
        "D05: no sandbox and no permission hide bash",
      ),
      works(
        "that goes by what a tool does, so that another name does not help",
        GATES,
        "D06, D07: a renamed shell is caught too, because what it does decides",
      ),
      works("inside a sandbox the shell is there", GATES, "D09: inside a sandbox bash is there"),
      works(
        "`view_image` is there for models that see",
        GATES,
        "D18: a model without vision has no view_image; without any model the gate has nothing to judge (contract)",
      ),
      works(
        "tools that start agents are there where agents can be run, unless a list leaves them out",
        "src/runtime/session/tools/agent-tools.test.ts",
        "with %s they are there, unless a list leaves them out",
      ),
      works(
        "of two tools with one name the first stays, and the other is still in the list, with the reason",
        GATES,
        "D15: a config tool and another source's tool of one name: the config one is kept, the other is hidden, not dropped",
      ),
      works("active skills leave what they allow, together", GATES, "D23: A [x], B [y]: the union"),
      works("skills that declare nothing restrict nothing", GATES, "D25: only undeclared skills active: all tools"),
      works(
        "a skill that allows nothing that exists leaves nothing but the framework's tools",
        GATES,
        "D26: only names that do not exist: fail closed",
      ),
      works(
        "a subagent has the groups of its lead, and starts no agents itself",
        "test/seeds/subagents.test.ts",
        "a subagent inherits the groups of its lead, and starts no others",
      ),
      works(
        "an MCP tool with an odd name is left out, and those beside it stay",
        GATES,
        "D42: an MCP name with a newline or < is hidden, and its siblings are kept",
      ),
    ],
    "Tools of the configuration": [
      works("an entry has a name, a group and `use`", MODULES, "loads from a package of that name, with its group"),
      works(
        "`use` is a module and, behind the last colon, the name of its export",
        MODULES,
        "a use is split at its last colon (N4)",
      ),
      works(
        "what the export is gets checked before anybody calls it",
        MODULES,
        "checkModules reports all of them before any run",
      ),
      works(
        "the name in the configuration is a label; models and calls go by the tool's own name, and a warning shows both where they differ",
        MODULES,
        "the tool's own name routes, and a label that differs is told with both names (N3)",
      ),
      works("asking for the label says which name the tool has", OUTSIDE, "but under another name says which"),
      differs(
        "`use` names a Python module",
        "Toolcrib runs JavaScript; the notice says that it looks like Python, and the other tools stay",
        MODULES,
        "without it, a notice says that it looks like Python",
      ),
      differs(
        "a module that cannot be imported fails late, in the middle of a run",
        "it costs its own tool, and `list`, `why` and `doctor` tell of it before any run",
        OUTSIDE,
        "because its module is not there is told as that",
      ),
      works(
        "a `use` without an export costs its own tool alone",
        OUTSIDE,
        "because its entry names no export is told as that, and costs itself alone",
      ),
    ],
    "Tools that wait behind a search": [
      works(
        "switched on, tools of servers wait, and local ones stay",
        GATES,
        "D33: search on, two MCP and one local: the local one and tool_search; the prompt lists two names, sorted",
      ),
      works("switched off, all schemas are sent", GATES, "D31: search off: all schemas, no tool_search"),
      works("with nothing to search there is no `tool_search`", GATES, "D32: search on, no MCP: no tool_search"),
      works(
        "a tool that is not allowed is neither searched nor named",
        GATES,
        "a tool that policy denies is neither deferred nor listed, and leaves no tool_search behind",
      ),
      works(
        "`tool_search` brings the schema, and the tool can be called from then on",
        SEARCH,
        "a search loads what it finds, at the end of the payload, and then it runs (D4, D5)",
      ),
      works(
        "a call before that is answered with what to do, and nothing runs",
        "src/runtime/session/conversation/exchange.test.ts",
        "a deferred tool is answered with what to do, and runs once a search has loaded it (D6)",
      ),
      works(
        "what several searches brought adds up",
        GATES,
        "D41: under one hash promotions add up, each once, in order",
      ),
      works(
        "a name that was searched earlier never releases another tool under it",
        SEARCH,
        "a promotion never releases a tool whose definition changed (D5)",
      ),
      differs(
        "when the list of tools changes, all searched tools wait again",
        "those whose definition is the same stay loaded: a server that adds one tool costs no other its place",
        GATES,
        "D40: promoted under an old hash, the catalog changed: deferred again, unless the signature is known and the same (D5)",
      ),
    ],
    "Agents of other programs": [
      works(
        "an agent that speaks the Agent Client Protocol works as a tool, by your rules",
        "test/e2e/acp-agent.test.ts",
        "toolcrib acp works as an agent of ours, and what it asks about goes through our rules and people (B8)",
      ),
      works(
        "one that cannot be started costs its own call",
        "test/e2e/acp-agent.test.ts",
        "a program that is no such agent costs its own call, with what it wrote",
      ),
    ],
    "Your files, taken over by init": [
      works(
        "custom agents with prompt, tools and limits on tools, under the names that tools have here",
        FILES,
        "what an agent of DeerFlow's may use is called as it is here",
      ),
      works(
        "`tool_groups` give an agent no more than it had",
        FILES,
        "groups never widen an agent: it gets the tools of its groups and those that have none",
      ),
      works(
        "turns and models of agents; what has no counterpart, such as time limits, is reported by name",
        FILES,
        "turns and models of agents carry over with their overrides; time limits and DeerFlow's own agents are told",
      ),
      works(
        "agents in folders of their own, with the prompt of `SOUL.md`",
        FILES,
        "agents with folders of their own carry over with the prompt of SOUL.md, each name once",
      ),
      works(
        "`acp_agents`, without their secrets",
        FILES,
        "programs that speak the Agent Client Protocol become agents, without their secrets",
      ),
      works(
        "`tool_search`, `allow_host_bash` and switches of skills",
        FILES,
        "DeerFlow's agents, shell and search settings carry over; its Python tools are told",
      ),
      works(
        "which models see, and groups",
        FILES,
        "groups, vision and the host's shell of DeerFlow's are converted, or reported",
      ),
      works(
        "servers of `extensions_config.json`, with their switches and times",
        "src/config/import/import-foreign.test.ts",
        "timeouts, tools, switches and transports carry over",
      ),
      works(
        "`$NAME` stays a reference to the environment",
        "src/config/import/import-foreign.test.ts",
        "DeerFlow's and Copilot's $NAME become ${NAME}",
      ),
      works(
        "guardrails and memory; every other section that is on is reported",
        FILES,
        "guardrails that list tools become rules; others, and every other section that is on, are told",
      ),
      works("the engine of `web_search`", FILES, "web_search of %s keeps its search engine"),
    ],
  },
};
