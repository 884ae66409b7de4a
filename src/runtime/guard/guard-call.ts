/** A call that another program is about to run itself, in the terms of ours. */
export interface GuardCall {
  readonly tool: GuardTool;
  readonly args: Readonly<Record<string, unknown>>;
}

export type GuardTool =
  /** What a tool of ours does as well. */
  | { readonly kind: "builtin"; readonly name: string }
  /** A tool of a server that the client itself is connected to. */
  | { readonly kind: "served"; readonly server: string; readonly name: string }
  /** Anything else that the client brings. */
  | { readonly kind: "own"; readonly name: string };

/** What the rules say about it. `pass`: nothing, so the client goes on as it would without us. */
export type GuardAnswer =
  | { readonly answer: "pass" }
  | {
      readonly answer: "allow" | "ask" | "deny";
      readonly code: string;
      readonly text: string;
      readonly origin: string;
    };

export const PASS: GuardAnswer = { answer: "pass" };

const STRICTNESS = { pass: 0, allow: 0, ask: 1, deny: 2 } as const satisfies Record<GuardAnswer["answer"], number>;

/** Of several calls that stand for one: the first of the strictest, and an `allow` only where all are allowed. */
export function strictestAnswer(answers: readonly GuardAnswer[]): GuardAnswer {
  const [first = PASS] = answers.toSorted((a, b) => STRICTNESS[b.answer] - STRICTNESS[a.answer]);
  return first.answer === "allow" && answers.some(({ answer }) => answer === "pass") ? PASS : first;
}
