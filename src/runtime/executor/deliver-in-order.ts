import type { Call } from "../../core/call/call.ts";
import type { ActiveCall } from "./active-call.ts";
import { type Cancellation, orCancelled } from "./cancellation.ts";
import type { Outcome } from "./outcome.ts";
import type { CallPart } from "./stream.ts";

export interface Delivery {
  /** Of the whole batch. */
  readonly cancellation: Cancellation;
  readonly release: () => void;
  readonly start: (call: Call) => { readonly active: ActiveCall; readonly outcome: Promise<Outcome> };
}

/**
 * Starts calls as they arrive and yields outcomes in the order of the calls. Reading continues whether or not the
 * outcomes are consumed. A stream that breaks confirms nothing more: its calls end, and then its error is thrown.
 */
export async function* deliverInOrder(
  parts: AsyncIterable<CallPart> | Iterable<CallPart>,
  { cancellation, release, start }: Delivery,
): AsyncGenerator<Outcome, void, void> {
  const outcomes: Promise<Outcome>[] = [];
  const open = new Set<ActiveCall>();
  let failure: { readonly error: unknown } | null = null;
  let isOver = false;
  let wake = (): void => {};

  const refuse = (active: ActiveCall): void => {
    open.delete(active);
    active.cancellation.cancel("refusal");
    active.confirmation.settle("refused");
  };
  const take = (part: CallPart): void => {
    switch (part.type) {
      case "call": {
        const { active, outcome } = start(part.call);
        open.add(active);
        outcomes.push(outcome);
        wake();
        return;
      }
      case "dropped":
        for (const active of [...open]) if (part.ids.includes(active.call.id)) refuse(active);
        return;
      case "stop":
        for (const active of [...open]) {
          if (!part.confirmed) refuse(active);
          else active.confirmation.settle("confirmed");
          open.delete(active);
        }
    }
  };
  const read = async (): Promise<void> => {
    try {
      const iterator = toIterator(parts);
      for (;;) {
        const next = await orCancelled(Promise.resolve(iterator.next()), cancellation);
        if (next === null) void Promise.resolve(iterator.return?.()).catch(() => {});
        if (next === null || next.done === true) break;
        take(next.value);
      }
    } catch (error) {
      failure = { error };
    }
    for (const active of [...open]) refuse(active);
    isOver = true;
    wake();
  };

  const reading = read();
  try {
    for (let at = 0; ; at += 1) {
      while (outcomes[at] === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const outcome = outcomes[at];
      if (outcome === undefined) break;
      yield await outcome;
    }
    await reading;
    if (failure !== null) throw (failure as { readonly error: unknown }).error; // Set inside `read`, which narrowing does not see.
  } finally {
    cancellation.cancel("user");
    await Promise.allSettled(outcomes);
    release();
  }
}

function toIterator(parts: AsyncIterable<CallPart> | Iterable<CallPart>): AsyncIterator<CallPart> | Iterator<CallPart> {
  return Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
}
