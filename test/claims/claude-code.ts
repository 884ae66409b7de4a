import { type ClaimedSystem, differs, works } from "./claim.ts";

const SEED = "test/seeds/claude-code.test.ts";
const AGENTS = "test/seeds/subagents.test.ts";
const COMMANDS = "test/seeds/commands-of-a-reply.test.ts";
const CALLS = "src/runtime/session/calls/session-calls.test.ts";
const HOOKS = "test/claude-settings/hooks.test.ts";
const AGENT_FILES = "src/config/foreign/agent-files.test.ts";
const AGENT_SETTINGS = "src/runtime/agents/agent-settings.test.ts";
const NAMED_AGENTS = "src/runtime/agents/named-agents.test.ts";
const INTERRUPTING = "src/runtime/session/conversation/interrupting-message.test.ts";

/** From the list of tools to the result of a call. */
export const CLAUDE_CODE: ClaimedSystem = {
  title: "Claude Code",
  about:
    "How tools are listed, found, restricted and run. `.claude/settings.json`, its hooks and agent files are read as they are; tools have names of their own here (`view` for `Read`), and every list, rule and matcher understands Claude's.",
  parts: {
    "The list of tools": [
      works(
        "built-in tools, your own and those of connected servers are one list",
        "test/seeds/copilot-sdk.test.ts",
        "access-allow-deny-interaction: neither means built-in, custom and MCP tools",
      ),
      works(
        "built-in tools come first, by name, then tools of servers, by name",
        SEED,
        "built-in tools sorted, then MCP tools sorted",
      ),
      works(
        "nothing of another source stands among the built-in tools",
        SEED,
        "every other kind of source stands between built-ins and MCP or behind MCP, never in the prefix (C1)",
      ),
      works(
        "the prompt cache has its mark behind the last built-in tool",
        "test/dialects/payloads.test.ts",
        "anthropic: a cache mark on the last built-in, definitions with defer_loading, references as the search's result (C2, D7)",
      ),
      works(
        "a server's tool that joins changes no byte in front of it, so that what is cached stays",
        SEED,
        "an MCP tool that joins leaves the bytes of the prefix as they were",
      ),
      works(
        "a tool is a name, a description, an input schema and a function that is kept apart from them",
        "src/core/tool/define-tool.test.ts",
        "a definition becomes an external tool, with the code apart from the data",
      ),
      works(
        "a Zod schema parses what the function gets",
        "src/core/tool/define-tool.test.ts",
        "and parses arguments, with its defaults",
      ),
      works(
        "a tool says of itself that it only reads, and that it may run beside others",
        "src/core/tool/define-tool.test.ts",
        "every option reaches the tool",
      ),
    ],
    "Tools that wait behind a search": [
      works(
        "a deferred tool costs no context: its schema is not loaded before the model wants it",
        "test/dialects/payloads.test.ts",
        "sends no hidden tool, and no schema of a deferred one into the context (D7)",
      ),
      works(
        "of a deferred tool the model is told the name alone, in the prompt",
        SEED,
        "of a deferred tool only the name is told",
      ),
      works(
        "loading one leaves the list and the prompt as they were, byte for byte",
        "test/dialects/sessions.test.ts",
        "anthropic: deferred tools are loaded by reference, and the list never changes",
      ),
      works(
        "the model asks `tool_search` in its own words, and gets whole schemas back",
        "src/core/search/search-tools.test.ts",
        "the tool that fits best comes first, with its whole definition in the text",
      ),
      works(
        "a mistyped word still finds its tool",
        "src/core/search/everyday-words.test.ts",
        "a letter too many, too few or in the wrong place does not hide a tool",
      ),
      works(
        "what was found can be called",
        "src/runtime/session/search/search-source.test.ts",
        "a search loads what it finds, at the end of the payload, and then it runs (D4, D5)",
      ),
      works(
        "it stays so for the rest of the session, also where the session is taken up again",
        "src/runtime/session/search/promotion-state.test.ts",
        "a later session goes on with the same tools, through JSON",
      ),
      works(
        "it survives a summary of the conversation: what the model was sent says so, with every provider",
        "test/models/loaded-tools.test.ts",
        "what a search loaded is sent in every later request, also after a summary (D8)",
      ),
      differs(
        "everything that was ever found stays loaded",
        "where found tools take more than their part of the context, those that were not used for longest go between two turns, and a search brings them back; where the provider keeps them in the history, all stay",
        "src/runtime/session/search/promotion-state.test.ts",
        "the least recently used go, over the budget; inside a turn none does",
      ),
      works(
        "tools of servers and your own wait in the same way, built-in ones stay",
        "test/seeds/copilot-runtime.test.ts",
        "a large candidate list marks MCP and external tools and adds the search tool",
      ),
    ],
    "What takes tools away": [
      works("feature flags take away tools of their kind", SEED, "1. feature flags"),
      differs(
        "flags are decided when the product is built",
        "they are settings (`features`), so that one installation serves all, and `why` names the line",
        "src/core/gates/scene-gates.test.ts",
        "the reason tells an absent flag from one that is off, and where it is off",
      ),
      works("plan mode keeps what only reads", SEED, "2. the mode: planning keeps what only reads"),
      works("an agent has the tools that it lists", SEED, "3. agent-specific filtering"),
      works(
        "subagents have some of their parent's tools, and never more",
        AGENTS,
        "sub-agents receive a subset of parent tools",
      ),
      works(
        "agents that explore and plan have tools that read, and none that change anything",
        AGENTS,
        "read-only agents get reduced tool sets: %s",
      ),
      works(
        "workers of a coordinator cannot make teams or write to other agents; the coordinator can",
        AGENTS,
        "coordinator workers lose coordinator-internal tools; a coordinator keeps them",
      ),
      works(
        "a deny rule for a tool takes it away, one with a pattern refuses the calls that fit",
        SEED,
        "4. deny rules hide by name, and only block calls with an input pattern",
      ),
      works(
        "a project's deny rules count at once, what it allows once you trust it",
        "test/claude-settings/permissions.test.ts",
        "a project's deny and ask rules count at once, its allow rules once it is trusted",
      ),
      works(
        "what an organisation denies, no list below brings back",
        "src/core/gates/list-gates.test.ts",
        "no list below brings a denied tool back",
      ),
      works(
        "an organisation says which MCP servers there may be, by name, address or command",
        SEED,
        "5. enterprise policy on MCP servers",
      ),
    ],
    "Agent files": [
      works(
        "`permissionMode`, `hooks`, `isolation: worktree` and `background` of an agent's file are read, and a value that cannot hold leaves the agent out with the reason",
        AGENT_FILES,
        "what Claude's files say about an agent's calls is taken over, or the file is left out with the reason",
      ),
      works(
        "`Bash(git log:*)` in an agent's `tools` gives it that tool",
        AGENT_FILES,
        "Claude's comma-separated tools are a list, and lines are those of the Markdown file",
      ),
      differs(
        "an agent's `permissionMode` replaces the mode of the session",
        "it counts where it is the stricter one, so that no file gives an agent more than its parent has",
        AGENT_SETTINGS,
        "an agent's own mode holds for its calls where it is the stricter one, and never gives it more",
      ),
      works(
        "an agent's `hooks` see the calls of that agent alone",
        AGENT_SETTINGS,
        "an agent's own hooks see its calls, and no others",
      ),
      works(
        "an agent in a worktree of its own changes nothing of its parent's",
        "src/runtime/agents/agent-files.test.ts",
        "an agent with a worktree of its own changes nothing of its parent's, and says where its changes are (B11)",
      ),
      works(
        "an agent with `background: true` works in the background, whatever the call says",
        AGENT_SETTINGS,
        "an agent that works in the background is not waited for, whatever the call says",
      ),
      works(
        "`Explore` and `Plan` are the agents that ship, and `Agent(Plan)` and `Task(Plan)` are rules about them",
        AGENT_SETTINGS,
        "agents that ship answer to Claude's names, and rules that name them so hold",
      ),
      works(
        "`Agent(a, b)` in an agent's `tools` lets it start `a` and `b` and no others",
        NAMED_AGENTS,
        "an agent with %s in its tools starts those agents and no others",
      ),
      works(
        "A pattern in `disallowedTools`, such as `Bash(git push:*)` or `Agent(x)`, denies these calls of the agent",
        NAMED_AGENTS,
        "calls that an agent's disallowedTools name are denied for it, and the tool stays for all others",
      ),
      works(
        "`mcp__server__*` in `disallowedTools` takes the server's tools from the agent",
        NAMED_AGENTS,
        "a whole server in disallowedTools is gone for that agent, in Claude's spelling too",
      ),
    ],
    "How calls run": [
      works(
        "calls that only read start while the model is still writing",
        "src/runtime/session/conversation/exchange.test.ts",
        "starts what is safe while the model still writes, and gives results in request order (X5, X6)",
      ),
      works(
        "of a shell command the command decides that too: one that only reads starts, one that may write or needs a question waits",
        "src/runtime/session/conversation/early-commands.test.ts",
        "a command that only reads starts while the model still writes",
      ),
      works(
        "calls that only read run together, any other runs alone, and no later call passes it",
        "src/runtime/executor/scheduler.test.ts",
        "readers share and a writer waits for them, and nothing passes the writer",
      ),
      works(
        "a call that was ended and goes on writing holds back the next one that writes",
        "src/runtime/session/calls/deaf-handlers.test.ts",
        "after %s",
      ),
      works(
        "ten run at once at most",
        "src/runtime/executor/scheduler.test.ts",
        "at most ten at once, no conflict beside each other, order of admission kept, nothing passes a writer, all run",
      ),
      works(
        "of a shell command the command decides: `git log` may run beside others, `git push` may not",
        COMMANDS,
        "run beside each other where they only read, and alone where they change something: git log and git push",
      ),
      works(
        "calls end in any order, and their results come in the order in which the model made them",
        "src/runtime/executor/executor-laws.test.ts",
        "every complete call has exactly one result, in request order, and nothing runs unjudged or beside what it excludes",
      ),
      works(
        "what is left when the model has finished is waited for, and each call has its result",
        "src/runtime/session/conversation/exchange.test.ts",
        "a reader that stops early still has one result for each call that the model confirmed (X1)",
      ),
      works(
        "a tool that fails takes no other with it",
        "src/runtime/executor/executor.test.ts",
        "failures are independent, unless the tool says otherwise (X7)",
      ),
      works(
        "a message typed while tools run interrupts those that let themselves be cancelled",
        INTERRUPTING,
        "a message that joins a run interrupts a call whose tool lets itself be cancelled",
      ),
      works(
        "it waits for a tool that wants to finish",
        INTERRUPTING,
        "a call that wants to finish does, and neither do notices interrupt anything",
      ),
      differs(
        "a failing shell command cancels the calls beside it",
        "one empty `grep` cancelled dozens of calls, and models took it for the user's wish; `toolOverrides.bash.traits.abortSiblings: true` has it as you know it, ends the processes beside it, and the turn goes on",
        COMMANDS,
        "fail alone, unless the setting of the tool says that one takes the others along; the run goes on either way",
      ),
    ],
    Permissions: [
      works(
        "every call passes the same checks, the cheapest first, and `toolcrib check` shows what they say",
        "src/surfaces/cli/ask/check-command.test.ts",
        "names the rule, its place and every part",
      ),
      works(
        "rules on tool and input: deny before ask before allow",
        CALLS,
        "rules decide: deny before ask before allow",
      ),
      works(
        "patterns of rules may be globs and regular expressions",
        "src/core/rules/decide.test.ts",
        "a pattern denies where it occurs, and allows only the whole",
      ),
      works(
        "the modes of Claude's settings decide what is asked",
        "test/claude-settings/permissions.test.ts",
        "defaultMode %s: %j is %s",
      ),
      works(
        "in `accept-edits` edits of the workspace need no question, save of files that decide what runs",
        "src/core/rules/decide.test.ts",
        "accept-edits writes into the workspace and nowhere else",
      ),
      differs(
        "reading is always allowed",
        "in the workspace; a file elsewhere may be a key, so that reading it is asked about",
        CALLS,
        "reading in the workspace needs no question, and reading elsewhere does",
      ),
      works(
        "a model can judge what nothing else has settled",
        "src/runtime/session/calls/model-classifier.test.ts",
        "clears what it finds safe, is named with its setting, and what it used is counted",
      ),
      works(
        "that model is asked last, and never about what a rule or a mode settles",
        "src/runtime/session/calls/model-classifier.test.ts",
        "is never asked what a rule, a mode or a plan settles",
      ),
      works(
        "it works in two stages, a fast filter and a judge; a program can bring both",
        CALLS,
        "a classifier settles what no rule covers, in two stages",
      ),
      differs(
        "the fast filter is a model too, and the judge thinks aloud",
        "the filter that ships is a rule that only holds back what no model should decide, so nothing is cleared by a quick guess, and the judge answers in one line that a planted text cannot forge",
        "src/runtime/session/calls/model-classifier.test.ts",
        "is not shown %s: the fast rule leaves them to people",
      ),
      differs(
        "the classifier is on",
        "it sends arguments to a model, so that it is off until you name one",
        "src/runtime/session/calls/model-classifier.test.ts",
        "is off unless somebody names it, and a program's own goes first",
      ),
      works(
        "what passes all checks runs",
        "src/surfaces/cli/agent/run-command.test.ts",
        "with somebody there it is asked about, and a yes lets it run",
      ),
      works(
        "a refusal is a result that the model reads, and the run goes on",
        "src/surfaces/cli/agent/run-command.test.ts",
        "with nobody there a call that changes something is denied, and the run goes on (T11)",
      ),
    ],
    Hooks: [
      works(
        "a PreToolUse hook hears of each call before it runs, with Claude's names of tools and fields",
        HOOKS,
        "what it gets: names and fields of Claude's tools, with whole paths",
      ),
      works(
        "a PostToolUse hook hears of it afterwards, with the result",
        HOOKS,
        "a formatter gets the file that was written",
      ),
      works(
        "exit status 2 blocks a call, and the model reads what the hook wrote to its error stream",
        "src/runtime/hooks/hooks.test.ts",
        "exit 2 blocks with what it wrote, whatever its output says",
      ),
      works(
        "`updatedInput` changes the input, which is then checked and judged again",
        HOOKS,
        "updatedInput replaces the input whole, under Claude's names of fields, and is judged again",
      ),
      works(
        "`permissionDecision` allows, asks or denies; of several hooks the strictest counts",
        HOOKS,
        "several: all run, equal ones once, deny beats ask beats allow",
      ),
      differs(
        "a hook's allow goes past every permission",
        "it replaces the question to a person, and no deny or ask rule: rules are what somebody decided for all cases",
        HOOKS,
        "a hook's allow passes no deny and no ask rule",
      ),
      differs(
        "a hook before a later call sees what earlier calls of the same reply wrote",
        "hooks before the calls of one reply start together and wait for none of them, so that a person is asked about all calls at once; what needs the state after a call belongs in PostToolUse",
        HOOKS,
        "before the calls of one reply they start together, and none waits for what an earlier call writes",
      ),
      works(
        "linters and logs can add what the model should know",
        HOOKS,
        "additionalContext and systemMessage: one for the model, one for people",
      ),
    ],
  },
};
