import { namedPrompt } from "../../../core/agent/prompt-command.ts";
import { readSaid, sendSaid } from "../../../runtime/session/conversation/said-prompt.ts";
import { escapeLines } from "../../../system/text/escape-text.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readTimeout } from "../command-line/number-options.ts";
import { createStyle } from "../terminal/style.ts";
import type { Screen } from "../terminal/typed-lines.ts";
import type { TerminalAgent } from "./agent-session.ts";
import { type Chat, isAtOnce, isChatCommand, isOwnCommand, runChatCommand, withoutNow } from "./chat-commands.ts";
import { createChatStatus } from "./chat-status.ts";
import { type LineHistory, loadLineHistory } from "./line-history.ts";
import { openRunAgent } from "./open-run-agent.ts";
import { readLimits } from "./run-limits.ts";
import { createRunView, createScreenAnswer, showEnd } from "./show-run.ts";

/** `toolcrib chat`: a conversation in the terminal, each message a run. */
export async function runChat(input: CommandInput): Promise<number> {
  const { io, args } = input;
  if (args.has("json")) throw usage('chat prints no JSON; "toolcrib run PROMPT --json" does');
  if (!io.canAsk) throw usage('chat needs a terminal; in a script or a pipe, use "toolcrib run PROMPT"');
  readLimits(input);
  const history = io.openScreen === undefined ? null : await loadLineHistory(input);
  let screen: Screen | null = null;
  let opened: TerminalAgent | null = null;
  const turns = createTurns(() => opened?.questions?.forget());
  const close = async (): Promise<void> => {
    await opened?.close();
    screen?.close();
  };
  const release = io.onInterrupt(async () => {
    turns.isOver = true;
    io.err("\n");
    await close();
  }, turns.stop);
  try {
    const agent = openRunAgent(input, async () => {
      screen = (await io.openScreen?.(history?.lines ?? [])) ?? null;
      screen?.showStatus("opening the session");
      return screen ?? undefined;
    });
    opened = await agent;
    await converse(input, opened, screen, turns, history);
    // The signal ends this process once everything is closed.
    if (turns.isOver) await new Promise<never>(() => {});
    return 0;
  } finally {
    release();
    await close();
  }
}

/** The message that is being worked on, and whether another may come. */
interface Turns {
  current: AbortController | null;
  isOver: boolean;
  /** Stops the run; false: there is none. */
  readonly stop: () => boolean;
}

function createTurns(forget: () => void): Turns {
  const turns: Turns = {
    current: null,
    isOver: false,
    stop() {
      const { current } = turns;
      if (current === null || current.signal.aborted) return false;
      forget();
      current.abort("user_initiated");
      return true;
    },
  };
  return turns;
}

async function converse(
  input: CommandInput,
  { agent, questions, events }: TerminalAgent,
  screen: Screen | null,
  turns: Turns,
  history: LineHistory | null,
): Promise<void> {
  const { io, args } = input;
  const { session } = agent;
  const style = createStyle({ env: io.env, isTTY: io.isTTY });
  const limits = readLimits(input);
  const status = createChatStatus(screen, { session, early: () => questions?.early ?? 0 });
  // A message that comes before they are there waits for them.
  const ready = session.settled(AbortSignal.timeout(readTimeout(args))).catch(() => undefined);
  void ready.then(status.started);
  session.on("*", createRunView(io, session, screen === null ? undefined : createScreenAnswer(io, screen, style)));
  // A background agent that is over makes the model speak without being asked.
  session.on("session.idle", () => questions?.show());
  const toChat = ({ signal }: AbortController): Chat => ({ input, agent, events, limits, signal, ready });
  questions?.onEarly((line) => {
    if (turns.current === null || !isAtOnce(line)) return false;
    void takeMessage(toChat(turns.current), line.trim());
    return true;
  });
  io.err(`${escapeLines(session.toolset.scene.model?.id ?? "")} · /help lists commands, Ctrl-D ends\n`);
  try {
    for (let goesOn = true; goesOn; ) {
      const line = await questions?.readLine("> ");
      if (line === null || line === undefined) {
        if (!turns.isOver) io.err("\n");
        return;
      }
      await history?.add(line);
      turns.current = new AbortController();
      status.working(turns.current.signal);
      goesOn = await takeMessage(toChat(turns.current), withoutNow(line.trim()));
      turns.current = null;
      status.working(null);
    }
  } finally {
    status.close();
  }
}

/** False: the conversation ends. Whatever goes wrong ends the turn alone. */
async function takeMessage(chat: Chat, said: string): Promise<boolean> {
  const { agent, limits, signal, input, ready } = chat;
  if (said === "") return true;
  try {
    const { session } = agent;
    const isPrompt = !isOwnCommand(said) && namedPrompt(said, session.config.commands) !== undefined;
    if (!isPrompt && isChatCommand(said)) return await runChatCommand(chat, said);
    await untilAborted(ready, signal);
    const run = (prompt: string) => agent.run(prompt, { limits, signal });
    showEnd(input.io, await sendSaid(session, readSaid(said, session.config), run));
  } catch (error) {
    const text = signal.aborted ? "the run was stopped" : error instanceof Error ? error.message : String(error);
    input.io.err(`toolcrib: ${escapeLines(text)}\n`);
  }
  return true;
}
