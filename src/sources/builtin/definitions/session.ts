import { fileURLToPath } from "node:url";
import { alone, builtin } from "./builtin.ts";
import { count, flagSchema, takes, textSchema, texts } from "./takes.ts";
import { fetches, plans } from "./touches.ts";

const web = async () => (await import("../web/web-family.ts")).createWebFamily();
/** The path has the same depth in `src` and in the built package. */
const PACKAGE_FOLDER = fileURLToPath(new URL("../../../../", import.meta.url));

/** Like the list of steps, these change only the session. */
const ofSession = { readOnly: true, openWorld: false } as const;
const thinking = { readOnly: true, idempotent: true, openWorld: false } as const;

/** Tools about the conversation itself: thinking, remembering, asking, finishing, looking things up. */
export const SESSION_TOOLS = [
  builtin({
    name: "web_fetch",
    sets: ["web", "WebFetch"],
    load: web,
    touches: fetches,
    claude: ["WebFetch"],
    aliases: ["fetch"],
    description: "Fetches a public web page and returns its readable text. Private and local addresses are refused.",
    inputSchema: takes({
      url: textSchema("An http or https address"),
      "max_length?": count("At most so many characters; 20000 if absent", 1, 100_000),
      "start_index?": count("Where to go on in a long page", 0),
      "raw?": flagSchema("The page as it is, not its readable text"),
    }),
    traits: { readOnly: true, idempotent: true, openWorld: true },
  }),
  builtin({
    name: "web_search",
    sets: ["web", "WebSearch"],
    load: alone(async () => (await import("../web/web-search.ts")).webSearch),
    claude: ["WebSearch"],
    description: "Searches the web, and returns titles, addresses and a few words of each page found.",
    inputSchema: takes({ query: textSchema("What to look for"), "limit?": count("How many results; 8 if absent", 1) }),
    requires: ["webSearch"],
    traits: { readOnly: true, idempotent: true },
  }),
  builtin({
    name: "think",
    sets: ["agent"],
    load: alone(async () => (await import("../session/conversation-tools.ts")).think),
    description: "A place to think before acting. It changes nothing and returns nothing new.",
    inputSchema: takes({ thought: textSchema() }),
    traits: thinking,
  }),
  builtin({
    name: "sql",
    sets: ["agent"],
    load: alone(async () => (await import("../session/sql.ts")).sql),
    description:
      "Runs SQL (SQLite) on a small database of this session, for plans and findings. The tables todos(id, title, description, status) and todo_deps(todo_id, depends_on) exist. Of several statements all are done or none.",
    inputSchema: takes({
      query: textSchema("One or more statements"),
      "description?": textSchema("What it is for, in a few words"),
      "database?": textSchema("session, and nothing else", ["session"]),
    }),
    requires: ["store"],
    traits: ofSession,
  }),
  builtin({
    name: "plan",
    sets: ["agent"],
    load: alone(async () => (await import("../session/session-files.ts")).plan),
    description:
      "The plan of this session, in Markdown. Send the whole plan to replace it, or nothing to read it. It stays when older messages are shortened.",
    inputSchema: takes({ "content?": textSchema("The whole plan; empty to take it away") }),
    requires: ["store"],
    traits: { ...ofSession, concurrencySafe: false },
  }),
  builtin({
    name: "session_files",
    sets: ["agent"],
    load: alone(async () => (await import("../session/session-files.ts")).sessionFiles),
    aliases: ["files"],
    description:
      "Private files of this session, for notes, drafts and long findings. They lie apart from the workspace, and stay when older messages are shortened.",
    inputSchema: takes({
      action: textSchema(undefined, ["list", "read", "write", "delete"]),
      "path?": textSchema("Such as notes/findings.md; not needed to list"),
      "content?": textSchema("To write: the whole file"),
    }),
    requires: ["store"],
    traits: { ...ofSession, concurrencySafe: false },
  }),
  builtin({
    name: "store_memory",
    sets: ["memory"],
    load: alone(async () => (await import("../session/memory-tools.ts")).storeMemory),
    description: "Remembers a fact for later sessions.",
    inputSchema: takes({ subject: textSchema("What it is about, in a few words"), fact: textSchema() }),
    requires: ["memory"],
    traits: { idempotent: true, openWorld: false },
  }),
  builtin({
    name: "recall_memory",
    sets: ["memory"],
    load: alone(async () => (await import("../session/memory-tools.ts")).recallMemory),
    description: "Recalls facts that were remembered earlier.",
    inputSchema: takes({ "query?": textSchema("Words to look for; all facts if absent") }),
    requires: ["memory"],
    traits: thinking,
  }),
  builtin({
    name: "todo",
    sets: ["agent", "TodoWrite"],
    load: alone(async () => (await import("../session/todo.ts")).todo),
    claude: ["TodoWrite"],
    aliases: ["todos"],
    description: "Keeps the list of steps of the current task. Send the whole list each time, or nothing to read it.",
    inputSchema: takes({
      "items?": {
        type: "array",
        items: takes({ text: textSchema(), status: textSchema(undefined, ["pending", "in_progress", "completed"]) }),
      },
    }),
    traits: { readOnly: true, openWorld: false, concurrencySafe: false },
  }),
  builtin({
    name: "validate",
    sets: ["execute"],
    aliases: ["runTests"],
    load: alone(async () => (await import("../shell/validate.ts")).validate),
    description: "Runs the project's configured checks and reports which pass.",
    inputSchema: takes({ "checks?": texts("Names of checks; all if absent") }),
    requires: ["workspace"],
    traits: { hostShell: true },
    // Each check has its own time-out.
    timeout: 3_600_000,
  }),
  builtin({
    name: "skill",
    sets: ["agent", "Skill"],
    load: alone(async () => (await import("../session/conversation-tools.ts")).skill),
    claude: ["Skill"],
    description: "Loads a skill: instructions and tools for one kind of task.",
    inputSchema: takes({ name: textSchema() }),
    requires: ["skills"],
    traits: { readOnly: true, openWorld: false, concurrencySafe: false },
  }),
  builtin({
    name: "ask_user",
    sets: ["AskUserQuestion"],
    load: alone(async () => (await import("../session/conversation-tools.ts")).askUserTool),
    claude: ["AskUserQuestion"],
    aliases: ["askQuestions", "vscode/askQuestions"],
    description: "Asks the user a question and waits for the answer.",
    inputSchema: takes({ question: textSchema(), "choices?": texts("Answers to choose from") }),
    requires: ["userInput"],
    traits: { readOnly: true, openWorld: false, concurrencySafe: false },
  }),
  builtin({
    name: "task_complete",
    sets: [],
    load: alone(async () => (await import("../session/conversation-tools.ts")).taskComplete),
    description: "Says that the task is done, and ends an autopilot run.",
    isTerminal: true,
    inputSchema: takes({ summary: textSchema() }),
    traits: { readOnly: true, openWorld: false, concurrencySafe: false },
  }),
  builtin({
    name: "exit_plan_mode",
    sets: ["ExitPlanMode"],
    load: alone(async () => (await import("../session/conversation-tools.ts")).exitPlanMode),
    touches: plans,
    claude: ["ExitPlanMode"],
    description: "Presents the plan for approval, and leaves plan mode if it is approved.",
    inputSchema: takes({ plan: textSchema() }),
    traits: { openWorld: false },
  }),
  builtin({
    name: "manage_schedule",
    sets: ["agents"],
    load: alone(async () => (await import("../session/manage-schedule.ts")).manageSchedule),
    description:
      "Keeps prompts that are said again and again while nobody is there: adds one by a cron line or an interval, lists them, removes one.",
    inputSchema: takes({
      action: textSchema(undefined, ["list", "add", "remove"]),
      "cron?": textSchema("To add: minute, hour, day, month, weekday in local time, such as 0 9 * * mon-fri"),
      "every?": textSchema("To add, in place of cron: 30m, 2h or 1d"),
      "prompt?": textSchema("To add: the whole task, for an agent that knows nothing of this conversation"),
      "agent?": textSchema("To add: the agent that does it; the configured one if absent"),
      "mode?": textSchema("To add: how strict it is; as configured if absent", ["plan", "dont-ask"]),
      "id?": textSchema("To remove: which one"),
    }),
    requires: ["schedule"],
    traits: { openWorld: false },
  }),
  builtin({
    name: "docs",
    sets: [],
    load: alone(async () => (await import("../session/docs.ts")).createDocs(PACKAGE_FOLDER)),
    description: "Searches the documentation of Toolcrib itself.",
    inputSchema: takes({ query: textSchema() }),
    traits: thinking,
  }),
] as const;
