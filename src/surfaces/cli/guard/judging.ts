import { isAbsolute } from "node:path";
import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { type Fields, fieldsOf } from "../../guard/hook-event.ts";
import { isToolHookClient } from "../../guard/tool-hook.ts";
import { parseCommandLine } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { answerHook, type HookAnswering } from "./answer-hook.ts";
import { createHookGrants } from "./hook-grants.ts";
import { createHookLogs } from "./hook-log.ts";
import type { HookPlace } from "./hook-place.ts";
import { createPolicyMemory } from "./hook-policy.ts";

/** What a process remembers that judges calls of many clients. */
export interface Judging extends HookAnswering {
  close(): Promise<void>;
}

export function createJudging(input: CommandInput): Judging {
  const asked = { ...input, args: parseCommandLine(["hook", "claude-code"]) };
  const [grants, logs] = [createHookGrants(asked), createHookLogs()];
  return {
    ...{ load: createPolicyMemory(asked), grants, logs },
    async close() {
      await Promise.all([grants.close(), logs.close()]);
    },
  };
}

/** What the tool `judge` says about a call of a client: the text that the client reads as what a hook has printed. */
export async function judgeByTool(args: Fields, place: HookPlace, ports: HookAnswering): Promise<string> {
  const { client, tool, input, cwd, session, call, agent } = args;
  if (typeof client !== "string" || !isToolHookClient(client))
    return toDenial("the hook names no client that has such hooks");
  const event = {
    ...{ hook_event_name: "PreToolUse", tool_name: tool, tool_input: readInput(input) },
    ...{ session_id: session, tool_use_id: call, agent_id: agent },
    cwd: typeof cwd === "string" && isAbsolute(cwd) ? cwd : place.cwd,
  };
  return toText(await answerHook(place, { client, event: JSON.stringify(event) }, ports));
}

/** Claude Code writes the arguments as text, Codex as they are. */
function readInput(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return fieldsOf(JSON.parse(input));
  } catch {
    return null;
  }
}

/** A tool has no exit status. */
function toText({ out, err, status }: ClientAnswer): string {
  return status === 0 ? out.trim() : toDenial(err.trim());
}

function toDenial(reason: string): string {
  const denied = { permissionDecision: "deny", permissionDecisionReason: reason };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...denied } });
}
