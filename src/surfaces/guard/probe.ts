import { valueAt } from "../../config/edit/edit-json.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { GuardAnswer } from "../../runtime/guard/guard-call.ts";
import { type AnswerShape, type ClientAnswer, REFUSED } from "./hook-answer.ts";
import { HOOK_CLIENTS, type HookClientName } from "./hook-clients.ts";

/** The session of `guard status`: its calls are judged and logged as any, and then refused. */
export const PROBE_SESSION = "toolcrib guard status";

const PROBE_TEXT = "this call only shows that the guard answers";
export const PROBED: GuardAnswer = { answer: "deny", code: "permission.probe", text: PROBE_TEXT, origin: "" };

const COMMAND = "true";
type Sample = (cwd: string) => object;

const likeClaude =
  (event: string, tool: string): Sample =>
  (cwd) => ({
    ...{ session_id: PROBE_SESSION, cwd, hook_event_name: event },
    ...{ tool_name: tool, tool_input: { command: COMMAND } },
  });

/** What each client says before it runs a command, as it was recorded or is documented. */
const SAMPLES: Readonly<Record<HookClientName, Sample>> = {
  "claude-code": likeClaude("PreToolUse", "Bash"),
  codex: likeClaude("PreToolUse", "Bash"),
  "gemini-cli": likeClaude("BeforeTool", "run_shell_command"),
  "copilot-cli": (cwd) => ({
    ...{ sessionId: PROBE_SESSION, timestamp: 0, cwd },
    ...{ toolName: "bash", toolArgs: { command: COMMAND } },
  }),
  "qwen-code": likeClaude("PreToolUse", "run_shell_command"),
  opencode: (directory) => ({
    sessionID: PROBE_SESSION,
    callID: "",
    directory,
    tool: "bash",
    args: { command: COMMAND },
  }),
  cursor: (cwd) => ({
    ...{ conversation_id: PROBE_SESSION, generation_id: "", hook_event_name: "beforeShellExecution" },
    ...{ workspace_roots: [cwd], cwd, command: COMMAND },
  }),
  windsurf: (cwd) => ({
    ...{ agent_action_name: "pre_run_command", trajectory_id: PROBE_SESSION, execution_id: "" },
    tool_info: { cwd, command_line: COMMAND },
  }),
  cline: (cwd) => ({
    ...{ hookName: "PreToolUse", taskId: PROBE_SESSION, workspaceRoots: [cwd] },
    preToolUse: { toolName: "execute_command", parameters: { command: COMMAND } },
  }),
};

export function sampleEvent(client: HookClientName, cwd: string): object {
  return SAMPLES[client](cwd);
}

/** Where each form of answer says no, and where it says why. */
const NO: Readonly<
  Record<AnswerShape, readonly [keys: readonly string[], no: unknown, why: readonly string[]] | null>
> = {
  claude: toClaude(),
  "claude-denies": toClaude(),
  gemini: [["decision"], "deny", ["reason"]],
  copilot: [["permissionDecision"], "deny", ["permissionDecisionReason"]],
  cursor: [["permission"], "deny", ["agent_message"]],
  status: null,
  cline: [["cancel"], true, ["errorMessage"]],
  plain: [["answer"], "deny", ["reason"]],
};

function toClaude(): (typeof NO)["gemini"] {
  const own = "hookSpecificOutput";
  return [[own, "permissionDecision"], "deny", [own, "permissionDecisionReason"]];
}

/** What a client makes of an answer: the reason of its no; null if it goes on with the call. */
export function readNo(client: HookClientName, { out, err, status }: ClientAnswer): string | null {
  if (status === REFUSED) return err.trim();
  const form = NO[HOOK_CLIENTS[client].answer];
  const answer = status === 0 && form !== null ? parseJson(out) : undefined;
  if (form === null || valueAt(answer, form[0]) !== form[1]) return null;
  const why = valueAt(answer, form[2]);
  return typeof why === "string" ? why : "";
}

/** Whether a no is the one that a probe gets where everything is as it should be. */
export function isProbed(reason: string): boolean {
  return reason.includes(PROBE_TEXT);
}
