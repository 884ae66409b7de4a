import type { HookOutput, SessionHooks } from "../../../runtime/hooks/hook-types.ts";
import { writeTranscript } from "../state/kept-files.ts";
import type { Live } from "../state/live.ts";
import { isJson, type Json, textOf } from "../wire/wire-values.ts";
import { askClient } from "./ask-client.ts";

/** Asks every client that has hooks, and takes what the last of them says over what the earlier ones said. */
export async function invokeHook(
  live: Live,
  hookType: string,
  input: Json,
  agentId?: string,
  signal?: AbortSignal,
): Promise<Json> {
  let said: Json = {};
  for (const { connection, hooks } of live.clients.values()) {
    if (!hooks) continue;
    const about = { sessionId: agentId ?? live.id, timestamp: Date.now(), cwd: live.cwd };
    try {
      const asked = { hookType, input: { ...about, ...input } };
      const answer = await askClient(live, connection, "hooks.invoke", asked, signal);
      const output = isJson(answer) ? answer.output : undefined;
      if (isJson(output)) said = { ...said, ...output };
    } catch {
      // A hook that fails says nothing, as the SDK itself has it.
    }
  }
  return said;
}

/** Hooks of the clients as those of a program; absent while no client has any. */
export function createClientHooks(live: () => Live): SessionHooks {
  if (![...live().clients.values()].some((client) => client.hooks)) return {};
  const ask = (hookType: string, input: Json, agentId?: string) => invokeHook(live(), hookType, input, agentId);
  return {
    onPreToolUse: ({ toolName, toolArgs, agentId }) =>
      ask("preToolUse", { toolName, toolArgs }, agentId) as Promise<HookOutput>,
    async onPostToolUse({ toolName, toolArgs, toolResult, agentId }) {
      return (await ask("postToolUse", { toolName, toolArgs, toolResult }, agentId)) as HookOutput;
    },
    async onPostToolUseFailure({ toolName, toolArgs, error, agentId }) {
      const said = await ask("postToolUseFailure", { toolName, toolArgs, error }, agentId);
      const guidance = textOf(said.additionalContext);
      if (guidance !== undefined)
        live().session.send(
          `Tool "${toolName}" failed. Additional guidance from postToolUseFailure hooks:\n${guidance}`,
          { mode: "immediate", source: "notification" },
        );
      return {};
    },
    async onAgentStop({ stop_hook_active }) {
      const transcriptPath = await writeTranscript(live());
      const input = { stopReason: "end_turn", stop_hook_active, transcriptPath };
      return (await ask("agentStop", input)) as HookOutput;
    },
    async onErrorOccurred({ error, recoverable }) {
      const input = { error, recoverable, errorContext: "model_call" };
      return (await ask("errorOccurred", input)) as HookOutput;
    },
    onPreCompact: ({ trigger }) => ask("preCompact", { trigger }) as Promise<HookOutput>,
    onSubagentStart: ({ agent_id, agent_type }) =>
      ask("subagentStart", { agentId: agent_id, agentType: agent_type }) as Promise<HookOutput>,
    onSubagentStop: ({ agent_id, agent_type, stop_hook_active }) =>
      ask("subagentStop", { agentId: agent_id, agentType: agent_type, stop_hook_active }) as Promise<HookOutput>,
  };
}
