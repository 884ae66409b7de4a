import type { Call } from "../../core/call/call.ts";

/** What a reader of a provider's stream reports to the executor. */
export type CallPart =
  /** The arguments of this call are complete. */
  | { readonly type: "call"; readonly call: Call }
  /** These calls will never be confirmed, as when a provider falls back to another model. */
  | { readonly type: "dropped"; readonly ids: readonly string[] }
  /** Why the model stopped. Only `confirmed` lets the calls so far run, be asked about and be sent back. */
  | { readonly type: "stop"; readonly confirmed: boolean }
  /** Other parts of a reply, which do not matter to the executor. */
  | { readonly type: "text" | "refusal" | "call-start" };

/** Whether the model confirmed a call; unknown while it streams. */
export interface Confirmation {
  readonly state: "open" | "confirmed" | "refused";
  /** Resolves with the answer. */
  readonly settled: Promise<"confirmed" | "refused">;
  settle(state: "confirmed" | "refused"): void;
}

export function createConfirmation(): Confirmation {
  return new OpenConfirmation();
}

/** A class for the same reason as a call's cancellation. */
class OpenConfirmation implements Confirmation {
  readonly settled: Promise<"confirmed" | "refused">;
  #state: Confirmation["state"] = "open";
  #resolve: (state: "confirmed" | "refused") => void = () => {};

  constructor() {
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get state(): Confirmation["state"] {
    return this.#state;
  }

  settle(state: "confirmed" | "refused"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this.#resolve(state);
  }
}

/** For calls that are confirmed from the start. */
export const CONFIRMED: Confirmation = {
  state: "confirmed",
  settled: Promise.resolve("confirmed"),
  settle: () => {},
};
