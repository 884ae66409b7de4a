import { createNesting } from "./nesting.ts";

export interface CurrentCall {
  readonly id: string;
  readonly sessionId: string;
  /** Code that decides about the call, before or after it runs. */
  readonly isDeciding?: boolean;
}

const calls = createNesting<CurrentCall>((one, other) => one.sessionId === other.sessionId);

/** A call made from inside the work runs in the slot of that call instead of waiting behind it. */
export function insideCall<T>(call: CurrentCall, work: () => T): T {
  return calls.run(call, work);
}

/** The innermost call of that session in which code currently runs. */
export function currentCallOf(session: string): CurrentCall | null {
  return calls.current.find(({ sessionId }) => sessionId === session) ?? null;
}
