import { namedPrompt } from "../../../core/agent/prompt-command.ts";
import { readSaid, sendSaid } from "../../../runtime/session/conversation/said-prompt.ts";
import { escapeLines } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readTimeout } from "../command-line/number-options.ts";
import { type Chat, isAtOnce, isChatCommand, isOwnCommand, runChatCommand } from "./chat-commands.ts";
import { loadLineHistory } from "./line-history.ts";
import { openRunAgent } from "./open-run-agent.ts";
import { readLimits } from "./run-limits.ts";
import { createRunView, showEnd } from "./show-run.ts";

/** `toolcrib chat`: a conversation in the terminal, each line a run. */
export async function runChat(input: CommandInput): Promise<number> {
  const { io, args } = input;
  if (args.has("json")) throw usage('chat prints no JSON; "toolcrib run PROMPT --json" does');
  if (!io.canAsk) throw usage('chat needs a terminal; in a script or a pipe, use "toolcrib run PROMPT"');
  const limits = readLimits(input);
  const history = io.editLines === undefined ? null : await loadLineHistory(input);
  const opened = await openRunAgent(input, async () => io.editLines?.(history?.lines ?? []));
  const { agent, questions } = opened;
  let turn: AbortController | null = null;
  let isInterrupted = false;
  const stopTurn = (): boolean => {
    if (turn === null || turn.signal.aborted) return false;
    questions?.forget();
    turn.abort("user_initiated");
    return true;
  };
  const release = io.onInterrupt(async () => {
    isInterrupted = true;
    io.err("\n");
    await opened.close();
  }, stopTurn);
  try {
    await agent.session.settled(AbortSignal.timeout(readTimeout(args)));
    agent.session.on("*", createRunView(io, agent.session));
    // A background agent that is over makes the model speak without being asked.
    agent.session.on("session.idle", () => questions?.show());
    const toChat = ({ signal }: AbortController): Chat => ({ input, agent, events: opened.events, limits, signal });
    questions?.onEarly((line) => {
      if (turn === null || !isAtOnce(line)) return false;
      void takeLine(toChat(turn), line.trim());
      return true;
    });
    io.err(`${escapeLines(agent.session.toolset.scene.model?.id ?? "")} · /help lists commands, Ctrl-D ends\n`);
    for (let goesOn = true; goesOn; ) {
      const line = await questions?.readLine("> ");
      if (line === null || line === undefined) {
        if (!isInterrupted) io.err("\n");
        break;
      }
      await history?.add(line);
      turn = new AbortController();
      goesOn = await takeLine(toChat(turn), line.trim());
      turn = null;
    }
    // The signal ends this process once everything is closed.
    if (isInterrupted) await new Promise<never>(() => {});
    return 0;
  } finally {
    release();
    await opened.close();
  }
}

/** False: the conversation ends. Whatever goes wrong ends the turn alone. */
async function takeLine(chat: Chat, said: string): Promise<boolean> {
  const { agent, limits, signal, input } = chat;
  if (said === "") return true;
  try {
    const { session } = agent;
    const isPrompt = !isOwnCommand(said) && namedPrompt(said, session.config.commands) !== undefined;
    if (!isPrompt && isChatCommand(said)) return await runChatCommand(chat, said);
    const run = (prompt: string) => agent.run(prompt, { limits, signal });
    showEnd(input.io, await sendSaid(session, readSaid(said, session.config), run));
  } catch (error) {
    const text = signal.aborted ? "stopped" : error instanceof Error ? error.message : String(error);
    input.io.err(`toolcrib: ${escapeLines(text)}\n`);
  }
  return true;
}
