import { findCut, guessTokens, SUMMARY_REQUEST, toSummary } from "../../core/agent/compaction.ts";
import type { HistoryMessage } from "../../core/call/message.ts";
import { DIALECTS } from "../../core/dialects/dialects.ts";
import type { CompactionTrigger } from "../../core/events/turn-events.ts";
import { toModelRequest } from "./ask-model.ts";
import type { LoopSetting } from "./loop-session.ts";
import type { RunHooks } from "./run-hooks.ts";

/** The share of the context at which older messages are summarised. */
const THRESHOLD = 0.8;

/**
 * Whether the next request would come close to the end of the context, by the provider's own count if it has given one.
 */
export function isNearEnd(
  { contextWindow, compaction }: LoopSetting,
  history: readonly HistoryMessage[],
  counted: { readonly tokens: number; readonly messages: number } | null,
): boolean {
  const known = counted?.tokens ?? compaction?.overhead ?? 0;
  const fresh = guessTokens(history, counted?.messages);
  return known + fresh >= contextWindow * (compaction?.threshold ?? THRESHOLD);
}

/**
 * Has the model summarise older messages. If that fails, the results of old calls are dropped instead, so that the run
 * can continue (T5). False if there was nothing to compact.
 */
export async function compact(
  setting: LoopSetting,
  trigger: CompactionTrigger,
  signal: AbortSignal,
  hooks: Pick<RunHooks, "compacting">,
): Promise<boolean> {
  const { session } = setting;
  const history = session.history();
  const messages = history.map(({ message }) => message);
  const cut = setting.compaction === null ? findCut(messages) : messages.length || null;
  if (cut === null) return false;
  const keptFrom = history[cut]?.seq ?? (history.at(-1)?.seq ?? 0) + 1;
  const gone = messages.slice(0, cut);
  await hooks.compacting(trigger === "manual" ? "manual" : "auto");
  session.emit("session.compaction_start", { trigger });
  let summary: string | null = null;
  let failed: string | null = null;
  try {
    const shorten = setting.compaction?.toSummary ?? toSummary;
    summary = shorten(gone, await summarize(setting, gone, signal));
  } catch (error) {
    signal.throwIfAborted();
    failed = error instanceof Error ? error.message : String(error);
  }
  session.emit("session.compaction_complete", { success: failed === null, trigger, summary, keptFrom, error: failed });
  return true;
}

async function summarize(setting: LoopSetting, gone: readonly HistoryMessage[], signal: AbortSignal): Promise<string> {
  const { model, session, compaction } = setting;
  const asked: HistoryMessage = {
    role: "user",
    content: [{ type: "text", text: compaction?.request ?? SUMMARY_REQUEST }],
  };
  const payload = session.payload(model.wire, gone);
  const request = toModelRequest(setting, payload, [...gone, asked]);
  let text = "";
  for await (const part of DIALECTS[model.wire].readStream(model.stream(request, signal), payload.names)) {
    if (part.type === "text") text += part.text;
    if (part.type === "stop" && !part.confirmed) throw new Error(`the summary was not finished (${part.reason})`);
  }
  if (text.trim() === "") throw new Error("the model wrote no summary");
  return text;
}
