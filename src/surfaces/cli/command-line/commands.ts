import { AGENT_ROWS } from "./agent-commands.ts";
import type { CommandRow, CommandSpec } from "./command-spec.ts";
import {
  AUDIT_OPTIONS,
  COMMON_OPTIONS,
  CONFIG_OPTIONS,
  LISTEN_OPTIONS,
  PAST_OPTIONS,
  SCENE_OPTIONS,
  START_OPTIONS,
} from "./options.ts";
import { SETUP_ROWS } from "./setup-commands.ts";

const STARTS =
  "If a Toolcrib runs for this workspace, it answers, and nothing is started. Otherwise, or with --fresh, the command reads the configuration (without one, the servers in the home folder that up would use), starts the servers, asks for their tools and stops them again. With --world it reads that file only. A server that fails is reported, and one that does not start in time is shown with its last list. --no-start starts none.";

const AS_CLIENT =
  "--client shows what that client gets from up, connect or serve: the built-in tools of gateway.builtins, and as many tools as gateway.knownClients or the table of clients allows. CLIENT is the name that a client gives itself, such as claude-code, cursor or Visual Studio Code. Without --client, it is what toolcrib run gets: a session of your own, with built-in tools. The first line says which of the two, and it does not depend on whether a Toolcrib runs.";

const PAST_AGENT = "select this agent; with --session, the subagent of this id";

const PAST =
  "--session answers for a session that run or chat kept, as it was at the last request to a model before --at: the number or the time of an event, as sessions show prints them, or a date with or without a time. It reads only the session and starts nothing.";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how a reference is written.
const ROWS = {
  up: {
    summary:
      "run the gateway and the inspector: one MCP endpoint in front of all your servers, and a page that shows them",
    options: [...CONFIG_OPTIONS, ...LISTEN_OPTIONS, "write", "move", "undo", "detach", "idle", ...AUDIT_OPTIONS],
    about: [
      "This is what toolcrib does without a command. It uses your configuration; without one, the servers that Claude, Cline, Codex, Continue, Copilot, Cursor, Gemini CLI, Junie, opencode, Qwen Code, VS Code, Windsurf and Zed have in your home folder; without those, tools that only read and a sample server. It writes nothing. Servers in other products' files of the workspace are listed but not started, because somebody else may have written them.",
      "Clients connect to /mcp with the token; people open / in a browser. The token is gateway.token, or one that is generated once for this workspace and kept in the state folder. The port stays the same for a workspace too, unless --port or gateway.port sets another.",
      "--write puts toolcrib connect into the files of these clients, without a token or a port, so that they can be committed: into the project's file of claude, vscode, cursor, gemini, qwen, opencode, continue and junie, and into your own file of codex, copilot, windsurf, zed and cline. Servers that stay in these files would offer their tools twice: --move moves them into toolcrib.yaml, and their secrets into a file of your own (~/.config/toolcrib/keys), to which it refers by ${NAME}. --undo restores the files; from one that has changed since, it removes only what was written. Either all files are written or none.",
      "One Toolcrib runs for each workspace: if one is running already, up says where and ends with status 1. --detach starts it in the background and returns when it answers; status shows it, and it runs until down, or with --idle until it had no clients for that long. If one is running already, --detach returns status 0, and one that a client started stays from then on.",
      "When the configuration changes, it is read again, and no client is dropped; if it has a mistake, that is reported and the previous configuration stays. Answer calls that need approval here, in the inspector, or in the client. Ctrl-C lets running calls end; Ctrl-C again ends at once.",
      "--json prints one document with the addresses as soon as they answer.",
    ],
    examples: ["toolcrib", "toolcrib up --port 9000 --write claude", "toolcrib up --agent reviewer --exclude web"],
  },
  ...AGENT_ROWS,
  connect: {
    summary: "an MCP server on standard input and output, for clients: attaches to the Toolcrib of the workspace",
    options: ["workspace", "profile", "agent", "include", "exclude", "idle"],
    about: [
      "Put this command into a client's configuration: it contains no token and no port, so you can commit it. It attaches to the Toolcrib that runs for the workspace, or starts one in the background, which ends after 10 minutes without clients (--idle), unless up --detach is run meanwhile.",
      "The workspace is the one that --workspace names, else the client's only root, else the project around the working folder (a configuration of Toolcrib or a repository), else none: then only your own configuration is used.",
      "--profile, --agent, --include and --exclude can only narrow what configuration allows. If the running Toolcrib has another version or environment, that is reported on stderr. Nothing but the protocol goes to standard output.",
    ],
    examples: ["toolcrib connect", "toolcrib connect --workspace ~/project --exclude web"],
  },
  status: {
    summary: "show what is running: workspace, process, address, version, environment, clients and servers",
    options: ["workspace", "all"],
    about: [
      "Shows the Toolcrib of the workspace around the current folder, of --workspace, or all of them with --all, and where its environment differs from yours. Exit status: 0 when one runs, else 1.",
    ],
    examples: ["toolcrib status", "toolcrib status --all --json"],
  },
  down: {
    summary: "end the Toolcrib that runs for the workspace",
    options: ["workspace", "all"],
    about: [
      "It lets running calls end first. Clients that use connect are disconnected. Exit status: 0 when one was ended, else 1.",
    ],
    examples: ["toolcrib down", "toolcrib down --all"],
  },
  serve: {
    summary: "run the MCP gateway alone, on standard input and output or over HTTP",
    options: [...CONFIG_OPTIONS, "stdio", "http", ...LISTEN_OPTIONS, ...AUDIT_OPTIONS],
    about: [
      "--stdio is for clients that start their servers themselves: nothing but the protocol goes to standard output, and it ends with its input. --http listens like up does, without the inspector.",
      "Questions about calls go to the client or the terminal; if neither can answer, the calls are refused.",
    ],
    examples: ["toolcrib serve --stdio", "toolcrib serve --http --port 9000"],
  },
  rpc: {
    summary: "run agents for programs that use the Copilot SDK",
    options: ["stdio", "port", "host", "inspect"],
    about: [
      "Programs that use @github/copilot-sdk or github-copilot-sdk start it themselves once COPILOT_CLI_PATH names bin/toolcrib.js of this package. Without --port it speaks on standard input and output; with --port it listens on this machine for clients that show the token of COPILOT_CONNECTION_TOKEN. Where that is not set, it serves processes of your own user alone, which only Linux can tell.",
      "Models come from the provider that the program names, from COPILOT_API_URL, or as PROVIDER/ID with the key of that provider in the environment; scripted:FILE plays replies from a file. Sessions are kept under COPILOT_HOME, or .copilot in the home folder.",
      "--inspect shows the sessions of the app in a browser while they run: every tool with every gate and why it is hidden, runs, calls, servers and open questions. Only the app changes and answers anything. The page is on this machine alone, its token is part of the printed address, and it ends with the app. An app that starts Toolcrib itself passes --inspect among the args of its connection.",
    ],
    examples: [
      "COPILOT_CLI_PATH=node_modules/toolcrib/bin/toolcrib.js node app.js",
      "toolcrib rpc --port 4321 --inspect",
    ],
  },
  list: {
    summary: "list every tool: whether it is visible, where it comes from, what it costs in tokens, and why",
    options: [
      ...SCENE_OPTIONS,
      "subagent",
      "client",
      "person",
      "groups",
      ...PAST_OPTIONS,
      ...START_OPTIONS,
      "standing",
    ],
    meanings: { agent: PAST_AGENT },
    about: [
      "Tools are in the order in which a model gets them. Visible tools are sent now, tool_search finds deferred ones, hidden ones are not available in this run. On a terminal, the word same means the same reason as above.",
      AS_CLIENT,
      PAST,
      STARTS,
    ],
    examples: ["toolcrib list --mode plan", "toolcrib list --exclude 'github/*' --standing hidden"],
  },
  why: {
    summary: "explain why a tool is visible or hidden, and how to change that",
    operands: ["TOOL", "[WORDS…]"],
    options: [...SCENE_OPTIONS, "subagent", "client", "person", "groups", ...PAST_OPTIONS, ...START_OPTIONS],
    meanings: { agent: PAST_AGENT },
    about: [
      "TOOL is a tool, a toolset, a server or a pattern, in any spelling: github/open, github__open, mcp__github__open. Every tool that matches is explained.",
      "WORDS are a command for a shell tool: then it says what toolcrib check says about that call, and by which rule.",
      "Exit status: 0 when all of them are visible or deferred; 1 when one is hidden or the name is unknown.",
      AS_CLIENT,
      PAST,
      STARTS,
    ],
    examples: [
      "toolcrib why bash",
      "toolcrib why 'github/*' --agent reviewer",
      "toolcrib why edit --agent explore --subagent",
      "toolcrib why github --client cursor",
      "toolcrib why --client claude-code Bash 'git push'",
      "toolcrib why bash --session 1f0c2a9b --at 40",
    ],
  },
  search: {
    summary: "show what tool_search would return: the deferred tools that fit a request",
    operands: ["QUERY"],
    options: [...SCENE_OPTIONS, "client", "person", "groups", ...START_OPTIONS, "limit", "server", "task"],
    about: [
      "QUERY describes the task in words. Or write select:name_a,name_b for exact names, +word for a word that the name must contain, or /regex/. An exact name comes first. If nothing is deferred, it searches the visible tools. It never shows hidden ones.",
      "Exit status: 0 when a tool is found, else 1.",
      AS_CLIENT,
      STARTS,
    ],
    examples: ["toolcrib search 'open an issue'", "toolcrib search '+github comment' --limit 10"],
  },
  check: {
    summary: "show what the rules decide about a call, without running it",
    operands: ["TOOL", "[WORDS…]"],
    options: [...CONFIG_OPTIONS, ...START_OPTIONS, "client", "person", "groups", "args"],
    meanings: { client: "as this client's hook answers, and what the gateway decides for it" },
    about: [
      "Prints allow, ask or deny for every command of a shell line and every file, with the rule behind it, its file and line. Where it would ask, it shows the narrowest rules that would allow the call, unless the command destroys something or is hard to read. TOOL is the name of one tool.",
      "For a shell tool, WORDS are the command, so options of check go in front of TOOL. Put a line with pipes or variables in quotes. Other tools take --args.",
      "--client claude-code, codex, gemini-cli, copilot-cli, qwen-code, opencode, cursor, windsurf or cline says what toolcrib hook answers about a call of that client's own tools: TOOL is its name for one (Bash, run_shell_command), ours (bash) or SERVER/TOOL. Where no rule is about it, the client goes on by itself. If the gateway offers that client the same tool, what it decides comes second.",
      "Servers are started only for a tool that is not built in. Exit status: 0 when the call is allowed, 1 when Toolcrib would ask or deny it, or leaves it to the client.",
    ],
    examples: [
      "toolcrib check bash git push --force",
      "toolcrib check bash 'make test | tail'",
      "toolcrib check view --args @call.json --mode plan",
      "toolcrib check --client codex bash 'git push'",
    ],
  },
  call: {
    summary: "call one tool, with hooks, permission and time limit as in a session",
    operands: ["TOOL"],
    options: [...CONFIG_OPTIONS, "fresh", "timeout", "args", "yes"],
    meanings: { yes: "allow the call without asking" },
    about: [
      "On a terminal it asks you about calls that no rule covers, and shows every part of the decision and the rule that would be kept. Elsewhere such calls are denied, unless you pass --yes. --yes does not override deny rules.",
      "Prints what a model would read, or the whole result with --json. Exit status: 0 when the call succeeded, else 1.",
    ],
    examples: [
      'toolcrib call view --args \'{"path":"README.md"}\'',
      "toolcrib call github/create_issue --args @issue.json --yes",
    ],
  },
  grants: {
    summary: "list kept approvals, and take them back",
    operands: ["[ACTION]", "[ID]"],
    options: [],
    about: [
      "ACTION is list (the default) or revoke, which takes the ID of an approval. Approvals for a project are in .toolcrib/grants.json and count only for the person who gave them; your own are in your configuration folder; those of kept sessions are in the store. The list has all of them.",
    ],
    examples: ["toolcrib grants", "toolcrib grants revoke 1f0c2a9b"],
  },
  audit: {
    summary: "read the log of calls and decisions: filter, follow or verify it",
    operands: ["[FILE]"],
    options: [
      ...["tool", "client", "person", "session", "decision", "since", "limit", "follow", "verify"],
      ...["bodies", "here", "forget", "yes"],
    ],
    meanings: {
      client: "only calls of this client or token",
      person: "only rows about this person, by subject, name or e-mail address, or as the log names them",
      yes: "with --forget: do it without asking",
      session: "only calls of this session; its id, or the beginning of it",
      limit: "how many rows to show; 50 by default",
    },
    about: [
      "Without FILE it reads the log of this workspace, which up, serve, run, chat, call, acp and hook write to the state folder. The newest rows come last. With --json each row is one line.",
      "Where people log in, or audit.bodies is sealed, the store has the rows of all machines, and these are read instead; --here reads this machine's file, and --follow always does. What calls were about is then sealed apart from the rows: --bodies opens it with the keys of gateway.auth.keys, and that it was read is a row itself. --person NAME --bodies --json is everything about one person. --forget NAME deletes the bodies of a person, for good; their rows and the chain stay as they are.",
      "Calls of a client's own tools, which it asked its hook about, are judged: the row has the client, the beginning of its session and what the hook answered. Only these are also asked about or passed on (--decision ask, pass). That a log was opened and closed for such a call alone is left out, but not with --json.",
      "--verify recomputes every hash and names rows that were changed, moved or removed. The head file beside the log shows whether rows are missing at the end. Exit status: 0 when nothing was changed, else 1. The chain has no key: a person who can write both files can forge them.",
    ],
    examples: [
      "toolcrib audit --decision deny --since 2h",
      "toolcrib audit --client claude-code --session 5f3a",
      "toolcrib audit --follow",
      "toolcrib audit --person alice --bodies",
      "toolcrib audit --verify",
    ],
  },
  rehearse: {
    summary: "judge calls of the log under a policy that nobody uses yet: who would lose or gain what",
    operands: ["[FILE]"],
    options: ["policy", "since", "config"],
    about: [
      "--policy is a configuration file to try, in the place of the one that --config names, else of toolcrib.yaml, else of your own; a file with the key policy takes the place of managed policy. Put it beside that file: paths in it start from its folder.",
      "Every call of the log is judged under the configuration of now and under the supposed one, with the list of tools that it was made from, for the person or client who made it. Nothing is run, asked or changed, and nothing that was in a call is printed. Without FILE it is the log of this workspace, or of all machines where there is a store. Hooks, judges, classifiers and limits are named, not asked.",
      "Exit status: 0 when nobody would lose a tool and no call would be asked about or refused that is not now, else 1.",
    ],
    examples: ["toolcrib rehearse --policy new.yaml --since 7d", "toolcrib rehearse --policy new.yaml --json"],
  },
  diff: {
    summary: "show which tools differ between two setups, and why",
    operands: ["A", "B"],
    options: [...SCENE_OPTIONS, "client", "no-start", "timeout"],
    about: [
      'A and B are world files, or changes on top of the configuration (or of --world): key=value with the keys agent, model, mode, include, exclude and client, commas between them, and "+" between the names of a list. "base" means no change. ID@POINT is a kept session, up to an event or a time, and ID that session as it is now.',
      "client=NAME on one side, or --client for both, is what that client gets from up, connect or serve.",
      "Exit status: 0, whether or not there are differences.",
    ],
    examples: [
      "toolcrib diff base mode=plan",
      "toolcrib diff agent=reviewer agent=planner,exclude=web+execute",
      "toolcrib diff client=cursor client=windsurf",
      "toolcrib diff before.json after.json",
      "toolcrib diff 1f0c2a9b@12 1f0c2a9b@40",
    ],
  },
  config: {
    summary: "show the effective configuration, or one value of it, and where each value comes from",
    operands: ["[KEY]"],
    options: [...CONFIG_OPTIONS],
    about: [
      "KEY is the path of one setting, with dots: permissions.mode, mcpServers.files.args. It prints the value and where it comes from; for a group of settings, each of them. Exit status: 1 when it is not set and has no default.",
      "Secrets are masked, and variables are shown as they are written.",
    ],
    examples: ["toolcrib config", "toolcrib config permissions.mode", "toolcrib config mcpServers.github --json"],
  },
  snapshot: {
    summary: "write the tools and settings to one file, to ask the same question elsewhere",
    options: [...SCENE_OPTIONS, "no-start", "timeout"],
    about: ["Prints JSON for --world. Addresses lose user, password and query; look through it before you share it."],
    examples: ["toolcrib snapshot > world.json", "toolcrib list --world world.json"],
  },
  servers: {
    summary: "show the state of every server, and what to do about it",
    operands: ["[ACTION]", "[NAME]"],
    options: [...CONFIG_OPTIONS, "fresh", "timeout", "no-open"],
    about: [
      "Asks the Toolcrib that runs for this workspace. If none runs, or with --fresh, it starts the configured servers, reports how that went, and stops them again. Exit status: 0 when every server that should run is connected, else 1.",
      "NAME alone shows one server. ACTION is restart, logs, login or logout, for the server NAME. restart starts it again and reports the outcome; a Toolcrib that runs here takes over what your shell has now for the variables that the server's entry refers to, and no others. logs prints the last lines of its error output. Both act on the Toolcrib that runs for this workspace; if none runs, they start the server and stop it again.",
      "login logs in to a remote server in a browser (OAuth); if the server offers no such login, it says where to put a token. The address is shown, and opened if there is a screen. If your browser is on another machine, paste the address of the page where it ends. Tokens are kept in the state folder, for that server's address alone, and renewed when needed; a running toolcrib up takes them over by itself. logout forgets them, and revokes them where the server offers that.",
    ],
    examples: [
      "toolcrib servers",
      "toolcrib servers github",
      "toolcrib servers login github",
      "toolcrib servers logs github",
      "toolcrib servers restart files --timeout 30",
    ],
  },
  doctor: {
    summary: "check configuration, trust, servers, names and rules, and say what to fix",
    options: [...CONFIG_OPTIONS, "fresh", "timeout"],
    about: [
      "Reads every file, starts every server, loads every module, and looks for names that mean nothing, entries that change nothing, toolsets that shadow something, duplicates, look-alikes and changed definitions.",
      "Exit status: 0 when nothing is wrong, 1 when there is an error or a warning; infos do not count.",
    ],
    examples: ["toolcrib doctor", "toolcrib doctor --json"],
  },
  ...SETUP_ROWS,
  plugins: {
    summary: "list, add and remove plugins: folders that bundle agents, skills, hooks, MCP servers and commands",
    operands: ["[ACTION]", "[PLUGIN]", "[NAME]"],
    options: ["yes"],
    about: [
      "ACTION is list (the default), add or remove. A plugin is a folder with plugin.json or .claude-plugin/plugin.json, as Claude Code and Copilot have them. add takes such a folder, a .tar, .tar.gz or .tgz file of one, or the address of a git repository, shows what it would start and add to prompts, asks, and copies it to your configuration folder; remove takes its name.",
      "A git address begins with https://, ssh:// or file://, or is user@host:path. #BRANCH, #TAG or #COMMIT behind it says what to fetch; the commit that was fetched is shown and kept, so that ADDRESS#COMMIT gets the same again. Only that commit is fetched, at most 256 MB, without submodules, and nothing of it runs. Where the folder or repository is a marketplace (.claude-plugin/marketplace.json), NAME says which of its plugins. Nothing is updated by itself: add it again.",
      "Plugins in .toolcrib/plugins belong to the project: they have no effect until you trust them (toolcrib trust shows what they bring), and need trust again when one of their files changes.",
    ],
    examples: [
      "toolcrib plugins",
      "toolcrib plugins add ./reviewer.tgz",
      "toolcrib plugins add https://example.com/acme.git#v2 reviewer",
      "toolcrib plugins remove reviewer",
    ],
  },
  pin: {
    summary: "pin the tools you have in toolcrib.lock, check them, and approve what changed",
    options: ["check", "approve", ...CONFIG_OPTIONS, "timeout", "yes"],
    about: [
      "Starts the configured servers and writes toolcrib.lock beside toolcrib.yaml: how each server is started, and the signature of every tool; the definitions themselves go to toolcrib.lock.d. Commit both. From then on a new or changed tool is hidden until you approve it, and a server whose entry changed is not started.",
      "--check says what differs and writes nothing: exit status 0 when nothing differs, else 1. --approve TOOL shows the old and the new definition, with hidden characters written out, and accepts the new one; with the name of a server it accepts how it is started.",
    ],
    examples: ["toolcrib pin", "toolcrib pin --check", "toolcrib pin --approve github/create_issue"],
  },
  trust: {
    summary: "let a workspace's own configuration start servers, hooks and allow rules; shows them first",
    operands: ["[DIR]"],
    options: ["only", "list", "remove", "yes"],
    meanings: { remove: "take trust back: all of it, or what --only names" },
    about: [
      "DIR is the workspace, else the one around the current folder. Nothing is started. You trust each server, hook, rule, module, extension and skill tool separately, as it is now and with the files of the workspace that it runs: when one changes, only that one has to be trusted again. --only trusts single ones.",
      "If a trusted deny rule, ask rule or blocking hook is changed or removed, the calls it covered are denied until you decide here.",
      "--list shows what you have trusted in every workspace. --remove takes it back, also where the folder is gone: what you remove waits again, and a rule or hook that is removed is no longer missed when it goes. A running Toolcrib follows.",
      "Asks for confirmation on a terminal; elsewhere --yes is needed.",
    ],
    examples: [
      "toolcrib trust",
      "toolcrib trust --only github",
      "toolcrib trust ../app --yes",
      "toolcrib trust --list",
      "toolcrib trust --remove --only github",
    ],
  },
  eval: {
    summary:
      "measure on files: how well search finds tools, how safely rules decide, what the scanner finds, what definitions cost",
    operands: ["KIND", "[FILES…]"],
    options: ["catalog", "queries", "limit", "without-requests", "cases"],
    about: [
      'KIND is search: ranks the tools of --catalog for every query of --queries. Catalog lines are {"name","server","description","inputSchema"}, query lines {"id","query","gold":[names]} with "goldGroups" where several tools are as good. Tools of well-known servers count with the requests that ship with Toolcrib; --without-requests leaves those out.',
      'KIND is rules: decides every shell command of --cases by the rules of its own line, {"id","command","rules":{"allow","ask","deny"},"expect","accept"}. The summary counts what is right, escapes (allowed, and must not be), denials weakened to a question, and benign commands that were not allowed.',
      'KIND is scan: looks at every tool definition of --cases, {"id","label","category","server","tool", "baseline","context","generate","expect":{"action"}}, as a catalog and the trust gate would. The summary has what was found of each category, and benign definitions that were not accepted.',
      'KIND is tokens: counts what reaches the model\'s context with all definitions of the --catalog files inline, and with them deferred, for every dialect. A catalog is a JSON file with a list "tools"; more FILES may follow. It is one document with --json. Tokens are counted where the package gpt-tokenizer is installed, else estimated.',
      "With --json one line for each query or case and a last line with the summary; else the summary.",
    ],
    examples: ["toolcrib eval search --catalog tools.jsonl --queries asked.jsonl"],
  },
  completion: {
    summary: "a script that completes commands, options and names in your shell",
    operands: ["SHELL", "[KIND]"],
    options: [],
    about: [
      "SHELL is bash, zsh or fish. The script completes names of agents, servers and tools from the configuration and the lock of the folder you are in; it starts no server. It asks for them with completion values KIND, where KIND is agents, servers, tools or keys.",
      "bash: add source <(toolcrib completion bash) to ~/.bashrc. zsh: add source <(toolcrib completion zsh) to ~/.zshrc, after compinit. fish: write it to ~/.config/fish/completions/toolcrib.fish.",
    ],
    examples: ["toolcrib completion bash", "toolcrib completion fish > ~/.config/fish/completions/toolcrib.fish"],
  },
  help: {
    summary: "show all commands, or one of them in detail",
    operands: ["[COMMAND]"],
    options: [],
    examples: ["toolcrib help why"],
  },
} as const satisfies Record<string, CommandRow>;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is how a reference is written.

export type CommandName = keyof typeof ROWS;
export const COMMAND_NAMES = Object.keys(ROWS) as readonly CommandName[]; // The keys of that very table.

/** Every command, with the options that all of them take. */
export const COMMANDS = Object.fromEntries<CommandSpec>(
  COMMAND_NAMES.map((name) => {
    const row: CommandRow = ROWS[name];
    return [name, { operands: [], about: [], ...row, options: [...row.options, ...COMMON_OPTIONS] }];
  }),
) as Record<CommandName, CommandSpec>; // All of its keys, and no others.

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
