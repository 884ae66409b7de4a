import type { Clock } from "../../system/time/clock.ts";

export interface BreakerLimits {
  /** Consecutive time-outs that open the breaker, and how long it stays open. */
  readonly breakerTimeouts: number;
  readonly breakerOpen: number;
}

/** Refuses calls to a server that answered none of the last few, so that a run does not wait for each one again. */
export type Breaker =
  | { readonly state: "closed"; readonly timeouts: number }
  | { readonly state: "open"; readonly until: number }
  | { readonly state: "probing" };

export const CLOSED_BREAKER: Breaker = { state: "closed", timeouts: 0 };

export type Admission =
  | { readonly admitted: true; readonly breaker: Breaker }
  | { readonly admitted: false; readonly retryIn: number | null };

/** Asks for permission for one call. After the pause a single call is let through, and its outcome decides. */
export function admitAttempt(breaker: Breaker, now: number): Admission {
  switch (breaker.state) {
    case "closed":
      return { admitted: true, breaker };
    case "probing":
      return { admitted: false, retryIn: null };
    case "open":
      return now < breaker.until
        ? { admitted: false, retryIn: breaker.until - now }
        : { admitted: true, breaker: { state: "probing" } };
  }
}

export type CallOutcome = "answered" | "timeout" | "neither";

/** Records how an admitted call ended. A call that was cancelled or lost its server says nothing about hanging. */
export function settleCall(
  breaker: Breaker,
  outcome: CallOutcome,
  now: number,
  { breakerTimeouts, breakerOpen }: BreakerLimits,
): Breaker {
  if (outcome === "answered") return CLOSED_BREAKER;
  const open: Breaker = { state: "open", until: now + breakerOpen };
  switch (breaker.state) {
    case "closed":
      if (outcome === "neither") return breaker;
      return breaker.timeouts + 1 >= breakerTimeouts ? open : { state: "closed", timeouts: breaker.timeouts + 1 };
    case "probing":
      // The probe ended without a verdict, so the next call is the probe.
      return outcome === "timeout" ? open : { state: "open", until: now };
    case "open":
      return breaker;
  }
}

/** The breaker of one server, with its state. */
export interface CallBreaker {
  readonly state: Breaker["state"];
  /** Asks for permission for one call; throws `refuse`, with the milliseconds until the next attempt, if known. */
  admit(): void;
  settle(outcome: CallOutcome): void;
  reset(): void;
}

export function createCallBreaker(
  limits: BreakerLimits,
  clock: Clock,
  refuse: (retryIn: number | null) => Error,
  onChange: () => void,
): CallBreaker {
  let breaker = CLOSED_BREAKER;
  const set = (next: Breaker): void => {
    const changed = next.state !== breaker.state;
    breaker = next;
    if (changed) onChange();
  };
  return {
    get state() {
      return breaker.state;
    },
    admit() {
      const admission = admitAttempt(breaker, clock.now());
      if (!admission.admitted) throw refuse(admission.retryIn);
      set(admission.breaker);
    },
    settle: (outcome) => set(settleCall(breaker, outcome, clock.now(), limits)),
    reset() {
      breaker = CLOSED_BREAKER;
    },
  };
}
