import { toNotification } from "../../core/agent/between-agents.ts";
import type { UserPart } from "../../core/call/message.ts";
import type { SessionEvents } from "../../core/events/event-types.ts";
import type { NotificationKind } from "../../core/events/turn-events.ts";
import type { Emitter } from "../events/emitter.ts";

/** Who says a message. */
export type SaidBy = SessionEvents["user.message"]["source"];

/** Something for the model to read that came from outside: a person, another agent, or what happened. */
export interface SaidMessage {
  readonly messageId: string;
  readonly content: readonly UserPart[];
  readonly source: SaidBy;
  /** What happened, where nobody said it. */
  readonly kind?: NotificationKind;
}

/** That a background agent is over. */
export function toNotice(messageId: string, text: string, kind: NotificationKind): SaidMessage {
  return { messageId, content: [{ type: "text", text: toNotification(text) }], source: "notification", kind };
}

/** Puts it into the history. */
export function say(emit: Emitter["emit"], { kind, ...said }: SaidMessage): void {
  if (kind === undefined) return void emit("user.message", said);
  const content = said.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  emit("system.notification", { messageId: said.messageId, content, kind });
}
