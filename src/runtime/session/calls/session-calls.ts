import type { Call } from "../../../core/call/call.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { CallOptions, ExecuteOptions, Executor } from "../../executor/executor.ts";
import type { Outcome } from "../../executor/outcome.ts";
import type { CallPart } from "../../executor/stream.ts";
import type { SessionCallHooks } from "../../hooks/call-hooks.ts";
import type { GrantStore } from "../../permissions/grant-store.ts";
import type { Request } from "../../requests/request.ts";
import { createCallParts, type SessionCallPorts } from "./call-parts.ts";
import type { CallResult, LoopHooks, OneCallOptions } from "./call-types.ts";
import { directRequest, toWireName } from "./direct-request.ts";
import { createLife, type SessionLife } from "./session-life.ts";

interface SubagentNames {
  readonly id: string;
  /** Of the agent that it is. */
  readonly name: string;
}

/** Everything around the calls of a session. */
export interface SessionCalls extends LoopHooks {
  call(name: string, args?: unknown, options?: SessionCallOptions): Promise<CallResult>;
  /** What they come to may not be stored yet. */
  execute(
    request: Request,
    parts: AsyncIterable<CallPart> | Iterable<CallPart>,
    options?: ExecuteOptions,
  ): AsyncGenerator<Outcome, void, void>;
  /** One call of somebody who was shown that request's tools. */
  run(request: Request, call: Call, options?: CallOptions): Promise<Outcome>;
  /** A subagent starts: what hooks want it to know. */
  starting(agent: SubagentNames): Promise<readonly string[]>;
  /** The model, or that of a subagent, wants to stop: what sends it on, or null. */
  stopping(isAgain: boolean, agent?: SubagentNames): Promise<string | null>;
  /** Older messages are about to become a summary. */
  compacting(trigger: "auto" | "manual"): Promise<void>;
  /** Somebody is waited for. */
  notify(kind: string, message: string): Promise<void>;
  readonly executor: Executor;
  readonly grants: GrantStore;
  close(): Promise<void>;
}

export interface SessionCallOptions extends CallOptions, OneCallOptions {}

export async function createSessionCalls(ports: SessionCallPorts): Promise<SessionCalls> {
  const { executor, grants, hooks, runner, spill, toolset, startMayCall } = await createCallParts(ports);
  const { agentId, journal } = ports.setting;
  const { newId } = ports.setting.timing;
  const life = createLife(hooks, startMayCall, agentId !== undefined);
  let direct: { readonly toolset: Toolset; readonly request: Request } | null = null;
  const requestNow = (): Request => {
    const now = toolset();
    if (direct?.toolset !== now) direct = { toolset: now, request: directRequest(toolset, ports.sourceOf) };
    return direct.request;
  };

  const executeFirst: Executor["execute"] = async function* (...given) {
    await life.start();
    yield* executor.execute(...given);
  };

  return {
    executor,
    grants,
    hookFailures: runner.failures,
    async call(name, args = {}, { id = newId(), ...options } = {}) {
      await life.start();
      const request = requestNow();
      const call = { id, toolName: toWireName(name, toolset()), arguments: args };
      const { result, additionalContext, endTurn } = await executor.call(request, call, options);
      if (journal !== undefined) await journal.recorder.stored();
      return {
        ...result,
        ...(additionalContext.length === 0 ? {} : { additionalContext }),
        ...(endTurn ? { endTurn } : {}),
      };
    },
    execute: (...given) => (life.started ? executor.execute(...given) : executeFirst(...given)),
    run(request, call, options) {
      const run = (): Promise<Outcome> => executor.call(request, call, options);
      return life.started ? run() : life.start().then(run);
    },
    ...createLoopEvents(hooks, life, ports.onPrompt),
    async close() {
      await executor.close();
      try {
        await life.end();
      } finally {
        runner.close();
        await spill.close();
      }
    },
  };
}

/** What happens around the calls, for hooks. */
function createLoopEvents(
  hooks: SessionCallHooks,
  life: SessionLife,
  onPrompt: () => void,
): Pick<SessionCalls, "prompt" | "failed" | "starting" | "stopping" | "notify" | "compacting"> {
  return {
    async prompt(text) {
      onPrompt();
      const context = await life.start();
      const said = await hooks.tell("userPromptSubmitted", { prompt: text });
      const isBlocked = said.decision === "deny" || said.endTurn;
      return {
        prompt: said.updatedPrompt ?? text,
        additionalContext: [...context, ...said.additionalContext],
        blocked: isBlocked ? (said.reason ?? "a hook blocked the prompt") : null,
      };
    },
    async failed(error, recoverable) {
      const text = error instanceof Error ? error.message : String(error);
      return (await hooks.tell("errorOccurred", { error: text, recoverable })).errorHandling;
    },
    async starting({ id, name }) {
      return (await hooks.tell("subagentStart", { agent_id: id, agent_type: name })).additionalContext;
    },
    async stopping(isAgain, agent) {
      const told = { stopReason: "end_turn", stop_hook_active: isAgain };
      const { decision, reason, endTurn } =
        agent === undefined
          ? await hooks.tell("agentStop", told)
          : await hooks.tell("subagentStop", { ...told, agent_id: agent.id, agent_type: agent.name });
      return decision === "deny" && !endTurn ? (reason ?? "Go on: a hook says that you are not done.") : null;
    },
    async notify(kind, message) {
      await hooks.tell("notification", { notification_type: kind, message });
    },
    async compacting(trigger) {
      await hooks.tell("preCompact", { trigger });
    },
  };
}
