import { ruleText } from "../../core/scene/scene-shapes.ts";
import { choice, flag, list, map, number, type PresentOf, placed, record, text, to } from "../../core/shape/shape.ts";
import { coveredByHook } from "./covered-shape.ts";

export const HOOK_EVENTS = {
  preToolUse: "before a call; can refuse or change it",
  postToolUse: "after a call that succeeded; entries as in `preToolUse`",
  postToolUseFailure: "after a call that failed",
  permissionRequest: "before a person is asked",
  sessionStart: "when a session starts",
  sessionEnd: "when a session ends",
  userPromptSubmitted: "when a prompt arrives",
  agentStop: "when the model wants to stop; can send it on",
  subagentStart: "when a subagent starts; can add to what it knows",
  subagentStop: "when a subagent wants to stop; can send it on",
  preCompact: "before older messages become a summary",
  notification: "when a run waits for a person",
  errorOccurred: "when a turn fails",
} as const;
export type HookEvent = keyof typeof HOOK_EVENTS;

export const HOOK_DIALECTS = ["toolcrib", "claude", "copilot"] as const;

const hook = to(
  placed(
    record(
      {
        matcher: text({ about: "which tools; by default all", blank: true }),
        if: text({ about: "a permission rule; only calls that it matches", ...ruleText }),
        command: text({ about: "shell command; it gets the call as JSON on standard input", required: true }),
        args: list(text({ blank: true }), {
          about: "arguments; with them, `command` is a program that runs without a shell",
        }),
        cwd: text({ about: "folder it runs in, relative to the workspace; by default the workspace" }),
        env: map(text({ blank: true, secret: "named" }), {
          about: "variables added to its environment; `${VAR}` is replaced",
        }),
        timeout: number(1, { about: "time limit, in seconds" }),
        async: flag({ about: "do not wait for it, and ignore what it decides" }),
        dialect: choice(HOOK_DIALECTS, {
          about: "the product whose names and fields it expects",
          default: "toolcrib",
        }),
        onFailure: choice(["block", "continue"], { about: "what happens to the call when the hook fails" }),
      },
      { trust: { what: "hook", guards: coveredByHook } },
    ),
  ),
  ({ if: when, async: isAsync, env, ...rest }) => ({
    ...rest,
    /** A permission rule; the hook is asked only about matching calls. */
    when,
    env: env ?? new Map<string, string>(),
    isAsync: isAsync ?? false,
  }),
);
export type HookConfig = PresentOf<typeof hook> & {
  /** It was trusted and is changed or gone: it is not run, and refuses what it covered, for this reason. */
  readonly refusal?: string;
};

const hooksOf = (about: string) => list(hook, { about, merge: "union" });
type HookFields = { readonly [event in HookEvent]: ReturnType<typeof hooksOf> };

export type HookLists = ReadonlyMap<HookEvent, readonly HookConfig[]>;

/** Also of an agent, which has them for its own calls. */
export const hooks = to(
  record(
    // The keys are those of the table.
    Object.fromEntries(Object.entries(HOOK_EVENTS).map(([event, about]) => [event, hooksOf(about)])) as HookFields,
    { about: "commands that see calls and decide about them; of an agent, its calls alone", default: {} },
  ),
  (lists): HookLists =>
    new Map(
      Object.entries(lists).flatMap(([event, list]) => (list === null ? [] : [[event as HookEvent, list]])), // Same keys.
    ),
);
