import { isRecord } from "../../core/shape/is-record.ts";
import { buildServerEnv } from "../../system/process/server-env.ts";
import type { SpawnProcess } from "../../system/process/spawn-process.ts";
import { createFramedProcess, type FramedProcess } from "../../system/rpc/framed-process.ts";
import { LINES } from "../../system/rpc/line-framing.ts";
import { createRpcPeer, RPC_ERROR, type RpcAnswer, type RpcPeer, RpcRefusal } from "../../system/rpc/peer.ts";
import type { Clock } from "../../system/time/clock.ts";
import { onAbort, pause, untilAborted } from "../../system/time/until-aborted.ts";
import { PROGRAM_LIMITS } from "../parts/limits.ts";
import { createStatusRedactor } from "../parts/redact.ts";
import { type AskedCall, choosePermission, readAskedCall } from "./asked-call.ts";

export interface OpenAcpAgentOptions {
  /** For messages. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The environment, of which it gets what is not secret, and what is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly extra: Readonly<Record<string, string>>;
  readonly version: string;
  readonly clock: Clock;
  readonly spawn: SpawnProcess;
  /** Whether it may do what it asks for. */
  readonly permits: (asked: AskedCall, signal: AbortSignal) => Promise<boolean>;
  /** Receives its text as it arrives. */
  readonly onText: (text: string) => void;
}

/** An agent that speaks the Agent Client Protocol, with one session. */
export interface AcpAgent {
  /** Resolves with its stop reason and the text after its last call; rejects when the process is gone. */
  prompt(text: string, signal: AbortSignal): Promise<{ readonly stopReason: string; readonly text: string }>;
  close(): Promise<void>;
}

const PROTOCOL_VERSION = 1;
/** Milliseconds within which a cancelled agent must end its turn. */
const PATIENCE = 5_000;
const LONGEST_ANSWER = 1_000_000;
const NEVER = new AbortController().signal;

/** Starts the agent and opens a session in its folder. Rejects with one sentence for people, with the process ended. */
export async function openAcpAgent(options: OpenAcpAgentOptions, signal: AbortSignal): Promise<AcpAgent> {
  const { name, cwd, version, clock } = options;
  const reply = { text: "" };
  const { child, peer } = createConversation(options, reply);
  const close = (): Promise<void> => child.close();
  try {
    await child.start();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT)]);
    const client = { clientInfo: { name: "toolcrib", version }, clientCapabilities: NO_CAPABILITIES };
    const greeting = await ask(peer, "initialize", { protocolVersion: PROTOCOL_VERSION, ...client }, limit);
    if (greeting.protocolVersion !== PROTOCOL_VERSION)
      throw new Error(`speaks version ${String(greeting.protocolVersion)} of the protocol; this is version 1`);
    const { sessionId } = await ask(peer, "session/new", { cwd, mcpServers: [] }, limit);
    return {
      close,
      async prompt(text, stop) {
        reply.text = "";
        const letGo = onAbort(stop, () => peer.notify("session/cancel", { sessionId }));
        const prompt = [{ type: "text", text }];
        const answer = ask(peer, "session/prompt", { sessionId, prompt }, NEVER);
        answer.catch(() => {});
        try {
          // An agent that ignores the cancellation is ended with its process.
          const { stopReason } = await untilAborted(answer, stop, () =>
            Promise.race([answer, pause(clock, PATIENCE, NEVER).then(() => ({ stopReason: "cancelled" }))]),
          );
          return { stopReason: String(stopReason), text: reply.text };
        } finally {
          letGo();
        }
      },
    };
  } catch (error) {
    await close();
    const why = (await child.lost).reason ?? (error instanceof Error ? error.message : String(error));
    throw new Error(`The agent "${name}" ${why}.${describeStderr(child, options)}`);
  }
}

/** Milliseconds for the handshake: a program that is downloaded first takes a while. */
const START_TIMEOUT = 180_000;
const NO_CAPABILITIES = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

function createConversation(
  { argv, cwd, env, extra, clock, spawn, permits, onText }: OpenAcpAgentOptions,
  reply: { text: string },
): { readonly child: FramedProcess; readonly peer: RpcPeer } {
  const peer = createRpcPeer({
    limits: PROGRAM_LIMITS,
    now: () => clock.now(),
    cancelMethod: "$/cancel_request",
    cancelKey: "requestId",
    send: (message) => void child.send(message).catch(() => {}),
    async onRequest(method, params, { signal }) {
      if (method !== "session/request_permission")
        return new RpcRefusal(RPC_ERROR.methodNotFound, `there is no method ${method.slice(0, 100)}`);
      return choosePermission(params.options, await permits(readAskedCall(params.toolCall), signal));
    },
    onNotification(method, { update }) {
      if (method !== "session/update" || !isRecord(update)) return;
      // Its answer is the text at the end; text before a call only led there.
      if (update.sessionUpdate === "tool_call") reply.text = "";
      if (update.sessionUpdate !== "agent_message_chunk" || !isRecord(update.content)) return;
      const { text } = update.content;
      if (typeof text !== "string" || reply.text.length + text.length > LONGEST_ANSWER) return;
      reply.text += text;
      onText(text);
    },
    onFault: (reason) => child.cut(reason),
  });
  const child = createFramedProcess({
    argv,
    cwd,
    env: buildServerEnv(env, extra).env,
    framing: LINES,
    limits: PROGRAM_LIMITS,
    spawn,
    onMessage(read) {
      if (read.kind === "oversized" && peer.dropAnswer(read.id)) return;
      if (read.kind === "message") peer.receive(read.message);
      else peer.receiveJunk();
    },
    onOver: () => peer.end(),
  });
  return { child, peer };
}

async function ask(
  peer: RpcPeer,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await peer.request(method, params, signal);
  if (answer.kind === "result") return isRecord(answer.value) ? answer.value : {};
  throw new Error(
    answer.kind === "error" ? `refused: ${answer.message.slice(0, 500)}` : `${WITHOUT[answer.kind]} ${method}`,
  );
}

const WITHOUT: Readonly<Record<Exclude<RpcAnswer["kind"], "result" | "error">, string>> = {
  "too-large": "gave too large an answer to",
  cancelled: "was stopped before it answered",
  lost: "went away before it answered",
};

function describeStderr(child: FramedProcess, { extra }: OpenAcpAgentOptions): string {
  const stderr = child.readStderr();
  return stderr === null ? "" : ` It wrote: ${createStatusRedactor({ env: extra })(stderr)}`;
}
