import type { ApprovalSettings, ToldPlace } from "../../config/shape/approvals-shape.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { pause } from "../../system/time/until-aborted.ts";
import type { AuditNote } from "../audit/audit-row.ts";
import type { Redactor } from "../audit/redact-value.ts";
import type { PendingApproval } from "../crib/crib.ts";
import { describeToldPlace, placeKey, tellOutcome, tellPlace } from "./tell-place.ts";
import { describeToldQuestion, type ToldOutcome, toToldQuestion } from "./told-question.ts";
import type { ToldRows } from "./told-rows.ts";
import { Undelivered } from "./undelivered.ts";

export interface TellingOptions {
  /** As they are now. */
  readonly settings: () => ApprovalSettings;
  /** An origin. */
  readonly publicUrl: string;
  /** Removes secrets. */
  readonly redactor: () => Redactor;
  readonly note: (note: AuditNote) => void;
  readonly onError: (text: string, error: unknown) => void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Telling places of one question, and how it ended. */
interface Telling {
  /** Tells a place at its time, again and again until it has arrived or the signal is aborted. */
  tell(pending: PendingApproval, place: ToldPlace, signal: AbortSignal): Promise<void>;
  /** Tells all that were told how it ended, once over all machines. */
  finish(root: string, outcome: ToldOutcome): Promise<void>;
}

const RETRY = { backoffFirst: 1_000, backoffMost: 60_000 };
/** Tries to say how a question ended; nothing depends on it. */
const MOST_TRIES = 3;

export function createTelling(options: TellingOptions, rows: ToldRows, closing: AbortSignal): Telling {
  const { settings, publicUrl, redactor, note, onError, clock = SYSTEM_CLOCK, now = Date.now } = options;
  const tell = async (pending: PendingApproval, place: ToldPlace, signal: AbortSignal): Promise<void> => {
    const { root, since } = pending;
    await wait(clock, since + place.after - now(), signal);
    const key = placeKey(place);
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        // Another machine may have told it, before it ended.
        if ((await rows.find(root))?.told[key] !== undefined) return;
        const question = toToldQuestion(pending, publicUrl, redactor());
        const slack = await tellPlace(place, question, { settings: settings(), signal: closing, now });
        const title = describeToldQuestion(question);
        await rows.note(root, title, key, { at: now(), slack });
        const how = place.after > 0 ? "escalated to" : "told to";
        return note({ type: "approval.told", text: `${title}: ${how} ${describeToldPlace(place)}`, names: [root] });
      } catch (error) {
        if (closing.aborted) return;
        const isFinal = error instanceof Undelivered && error.isFinal;
        if (isFinal || attempt === 0)
          onError(`a call that waits could not be told to ${describeToldPlace(place)}`, error);
        if (isFinal) return;
        const retryAfter = error instanceof Undelivered ? error.retryAfter : null;
        await wait(clock, retryAfter ?? backoffDelay(attempt, Math.random(), RETRY), signal);
      }
    }
  };

  const finish = async (root: string, outcome: ToldOutcome): Promise<void> => {
    const row = await rows.take(root);
    for (const place of row === null ? [] : settings().to) {
      const told = row?.told[placeKey(place)];
      if (row === null || told === undefined) continue;
      const ended = { id: root, title: row.title, outcome, slack: told.slack };
      for (let attempt = 0; attempt < MOST_TRIES && !closing.aborted; attempt += 1) {
        try {
          await tellOutcome(place, ended, { settings: settings(), signal: closing, now });
          break;
        } catch (error) {
          if (attempt === MOST_TRIES - 1 || (error instanceof Undelivered && error.isFinal)) {
            onError(`${describeToldPlace(place)} could not be told how a call's question ended`, error);
            break;
          }
          await wait(clock, backoffDelay(attempt, Math.random(), RETRY), closing);
        }
      }
    }
  };
  return { tell, finish };
}

/** Waits that long; less if the signal is aborted. */
export function wait(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return pause(clock, Math.max(0, milliseconds), signal).catch(() => {});
}
