import { toNotification } from "../../core/agent/between-agents.ts";
import type { UserPart } from "../../core/call/message.ts";
import type { NotificationKind } from "../../core/events/turn-events.ts";
import type { Emitter } from "../events/emitter.ts";
import type { MessageSource } from "./run-types.ts";

/** A message for the model from outside: from a person, another agent, or about an event. */
export interface InputMessage {
  readonly messageId: string;
  readonly content: readonly UserPart[];
  readonly source: MessageSource;
  /** The kind of event, if nobody sent it. */
  readonly kind?: NotificationKind;
}

/** The notice that a background agent has ended. */
export function toNotice(messageId: string, text: string, kind: NotificationKind): InputMessage {
  return { messageId, content: [{ type: "text", text: toNotification(text) }], source: "notification", kind };
}

/** Adds it to the history. */
export function addMessage(emit: Emitter["emit"], { kind, ...message }: InputMessage): void {
  if (kind === undefined) return void emit("user.message", message);
  const content = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  emit("system.notification", { messageId: message.messageId, content, kind });
}
