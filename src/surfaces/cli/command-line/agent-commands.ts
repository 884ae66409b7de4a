import type { CommandRow } from "./command-spec.ts";
import { AUDIT_OPTIONS, CONFIG_OPTIONS, RUN_OPTIONS } from "./options.ts";

const AGENT_MEANINGS = {
  model: "use this model: PROVIDER/ID, or scripted:FILE",
  yes: "allow every call that no rule denies or asks about",
} as const;

/** Commands that run agents, and those about what agents leave behind. */
export const AGENT_ROWS = {
  run: {
    summary: "ask a model and run what it calls, until it is done",
    operands: ["[PROMPT…]"],
    options: [...CONFIG_OPTIONS, "format", "attach", "export", ...RUN_OPTIONS],
    meanings: AGENT_MEANINGS,
    about: [
      "The prompt is the argument, or standard input. --model names the model as PROVIDER/ID, such as anthropic/claude-sonnet-4-5 or ollama/qwen3; a key comes from the variable of its provider. toolcrib models lists what can be reached, and how to use an address of your own (OPENAI_BASE_URL, OLLAMA_HOST, providers in the configuration). scripted:FILE plays replies from a file instead.",
      "The model gets the tools of the configuration and the built-in ones. It asks on the terminal about calls that no rule covers; without a terminal, they are denied. The project's AGENTS.md, CLAUDE.md and .github instructions become part of the prompt.",
      "On a terminal you see the answer and the calls as they come; elsewhere only the answer goes to stdout. --format json prints one document at the end, stream-json each event as a line. Exit status: 0 when the model was done, 1 when something else ended the run.",
      "Calls are written to the log of calls, which toolcrib audit reads; nothing else is kept without --keep. With it, the whole session goes to a SQLite file in your state folder, one for each workspace, and the session's id to stderr. --resume ID or --continue resumes such a session and keeps what follows: the conversation, its approvals and its --model stay; tools, rules and mode come from the configuration as it is now. Without a prompt they repeat a request that was cut off when the last process ended, once open questions are answered. --export writes the session to a file at the end, secrets masked. SQLite comes with Node 22.13 or the package libsql.",
    ],
    examples: [
      'toolcrib run "Explain this" --model openai/gpt-5',
      "git diff | toolcrib run --model ollama/qwen3 --mode plan",
      'toolcrib run "Say hello" --model scripted:hello.yaml',
      'toolcrib run --continue "And in French?"',
    ],
  },
  chat: {
    summary: "talk with a model in the terminal, with the tools of the configuration",
    options: [...CONFIG_OPTIONS, ...RUN_OPTIONS],
    meanings: AGENT_MEANINGS,
    about: [
      "Each message is a run, as with toolcrib run: you see the model's words and calls as they come, and it asks about calls that no rule covers. The conversation goes on from message to message. Limits apply to each run. You can type at once; a message waits for servers that still start.",
      "Enter sends. A paste is one message, whatever lines it has; Alt+Enter, Ctrl+J or a backslash before Enter begins another line. Answers are laid out as Markdown in colour, and with NO_COLOR shown as the model wrote them.",
      "/help lists what else there is: the tools and why one is there or not, agents, skills, another model, a shorter history, and the conversation as a file.",
      "Ctrl-C stops the run. A second Ctrl-C, or one while nothing runs, ends the conversation. So do Ctrl-D and /exit. It needs a terminal: in a script or a pipe, use toolcrib run.",
      "The arrow keys bring back what you typed before, also in earlier conversations of this workspace: the last 500 lines are kept in your state folder, in a file that only you can read. A line that begins with a space or looks like a secret is not kept, and neither is an answer to a question.",
      "Calls are written to the log of calls. Nothing else is kept without --keep; --resume and --continue resume a session that chat or run kept.",
    ],
    examples: ["toolcrib chat --model anthropic/claude-sonnet-4-5", "toolcrib chat --model ollama/qwen3 --mode plan"],
  },
  acp: {
    summary: "an agent for editors that speak the Agent Client Protocol, on standard input and output",
    options: [...CONFIG_OPTIONS, "max-turns", "max-tokens", "max-cost", "max-time", ...AUDIT_OPTIONS],
    about: [
      "Put this command into the editor's configuration of agents. Each session works in the folder that the editor names, with the configuration, rules and approvals of that folder, and with the editor's own MCP servers. Questions about calls appear in the editor, which can also change the mode.",
      "Sessions are kept like those of run --keep, so that the editor can load them again, where there is SQLite (Node 22.13 or the package libsql). Nothing but the protocol goes to standard output.",
    ],
    examples: ["toolcrib acp --model anthropic/claude-sonnet-4-5"],
  },
  models: {
    summary: "list who serves models here, which, and why one cannot be reached",
    operands: ["[PROVIDER]"],
    options: ["config", "timeout"],
    about: [
      "Asks every provider that has a key or an address for its models: the known ones by their variables, servers on this machine, and those of providers in the configuration. What it prints is what --model takes. PROVIDER asks that one alone, and lists all of its models. Exit status: 0 when one can be reached, else 1.",
      "Known providers and their variables: anthropic (ANTHROPIC_API_KEY), openai (OPENAI_API_KEY), gemini (GEMINI_API_KEY or GOOGLE_API_KEY), azure (AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT), openrouter (OPENROUTER_API_KEY), groq (GROQ_API_KEY), mistral (MISTRAL_API_KEY), deepseek (DEEPSEEK_API_KEY), xai (XAI_API_KEY), and without a key ollama, lmstudio and llamacpp. OPENAI_BASE_URL, ANTHROPIC_BASE_URL, OLLAMA_HOST, LMSTUDIO_HOST and LLAMACPP_HOST set other addresses. For any other, write providers in your configuration.",
    ],
    examples: ["toolcrib models", "toolcrib models ollama", "toolcrib models --json"],
  },
  sessions: {
    summary: "list, show, export and delete the sessions that run and chat have kept",
    operands: ["[ACTION]", "[ID]"],
    options: ["format", "limit", "yes"],
    meanings: {
      format: "how to export the session: one of jsonl, md, html",
      limit: "how many sessions to list; 20 by default",
    },
    about: [
      "ACTION is list (the default), show, export, delete or prune; the middle three take the ID of a session, or the beginning of it. list shows the newest, and show a timeline, each line with the number of its event. export prints every event as a line, with --format md a document, with --format html one page that needs nothing else. Secrets of the configuration, and text that looks like a secret, are masked.",
      "delete removes a session with all that belongs to it; prune removes those that have not changed for as many days as store.keep says. Both ask first, unless --yes is given. Sessions that old are also deleted once a day while a session or toolcrib up runs, unless they wait for an answer. The list has the sessions of this workspace, in your state folder or in store.url.",
    ],
    examples: ["toolcrib sessions", "toolcrib sessions show 1f0c2a9b", "toolcrib sessions export 1f0c2a9b --format md"],
  },
  schedules: {
    summary: "list, add, remove and run prompts that up runs at set times, unattended",
    operands: ["[ACTION]", "[ID|PROMPT…]"],
    options: ["cron", "every", "agent", "mode", "model"],
    about: [
      "ACTION is list (the default), add, remove or run. add takes a prompt, and --cron with five fields in local time or --every with an interval; --agent, --mode and --model choose the agent, mode and model; by default, those of the configuration. run runs one at once, and ends with status 1 if anything but the model ended it.",
      "They are kept with the sessions of this workspace. With features.schedule: true, toolcrib up runs what is due, and each run is kept as a session. If several share a store, one of them runs it. If runs were missed while none was up, one run makes up for them; a run that is due while the last one goes on is skipped. There is nobody to ask, so calls that need approval are denied: write rules for what it may do.",
    ],
    examples: ["toolcrib schedules add 'What is new?' --cron '0 9 * * mon-fri'", "toolcrib schedules run 1f0c2a9b"],
  },
} as const satisfies Record<string, CommandRow>;
