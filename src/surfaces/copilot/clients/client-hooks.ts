import type { HookOutput, SessionHooks } from "../../../runtime/hooks/hook-types.ts";
import type { EventLog } from "../state/event-log.ts";
import { hasHooks, invokeHook, type SessionCore } from "../state/session-core.ts";
import { EVENTS_FILE, filesOf } from "../state/session-files.ts";
import { type Json, textOf } from "../wire/wire-values.ts";

/** Hooks of the clients as those of a program; none while no client has any. */
export function createClientHooks(core: SessionCore, events: EventLog): SessionHooks {
  if (!hasHooks(core)) return {};
  const ask = async (hookType: string, input: Json, agentId?: string) =>
    (await invokeHook(core, hookType, input, agentId)) as HookOutput; // Checked by the runner, as those of a file.
  return {
    onPreToolUse: ({ toolName, toolArgs, agentId }) => ask("preToolUse", { toolName, toolArgs }, agentId),
    onPostToolUse: ({ toolName, toolArgs, toolResult, agentId }) =>
      ask("postToolUse", { toolName, toolArgs, toolResult }, agentId),
    async onPostToolUseFailure({ toolName, toolArgs, error, agentId }) {
      const said = await invokeHook(core, "postToolUseFailure", { toolName, toolArgs, error }, agentId);
      const guidance = textOf(said.additionalContext);
      if (guidance !== undefined)
        core.session.send(
          `Tool "${toolName}" failed. Additional guidance from postToolUseFailure hooks:\n${guidance}`,
          { mode: "immediate", source: "notification" },
        );
      return {};
    },
    onAgentStop: async ({ stop_hook_active }) => {
      const transcriptPath = await writeTranscript(core, events);
      return ask("agentStop", { stopReason: "end_turn", stop_hook_active, transcriptPath });
    },
    onErrorOccurred: ({ error, recoverable }) =>
      ask("errorOccurred", { error, recoverable, errorContext: "model_call" }),
    onPreCompact: ({ trigger }) => ask("preCompact", { trigger }),
    onSubagentStart: ({ agent_id, agent_type }) => ask("subagentStart", { agentId: agent_id, agentType: agent_type }),
    onSubagentStop: ({ agent_id, agent_type, stop_hook_active }) =>
      ask("subagentStop", { agentId: agent_id, agentType: agent_type, stop_hook_active }),
  };
}

/** The whole conversation as a file, for hooks that want to read it. */
async function writeTranscript(core: SessionCore, { log }: EventLog): Promise<string> {
  const files = filesOf(core);
  const path = files.path(EVENTS_FILE);
  if (core.server.files === null) await files.write(path, log.map((event) => `${JSON.stringify(event)}\n`).join(""));
  return path;
}
