import type { GuardAnswer } from "../../runtime/guard/guard-call.ts";

/** What the hook prints, and the status it ends with. */
export interface ClientAnswer {
  readonly out: string;
  readonly err: string;
  readonly status: number;
}

/** A client that gets nothing and the status 0 goes on as it would without us. */
const NOTHING: ClientAnswer = { out: "", err: "", status: 0 };

/** What every client but Copilot takes for a no, with the reason on stderr; Copilot takes it for one without a reason. */
export const REFUSED = 2;

type Ruled = Exclude<GuardAnswer, { readonly answer: "pass" }>;

/** How a client reads an answer. Its own event says in which of its forms. */
const SHAPES = {
  claude: (answer) => print(toClaude(answer)),
  /** An `allow` is an error to Codex, and Qwen Code has asked its person before. */
  "claude-denies": (answer) => (answer.answer === "allow" ? NOTHING : print(toClaude(answer))),
  gemini: (answer) => (answer.answer === "allow" ? NOTHING : print({ decision: "deny", reason: toReason(answer) })),
  copilot: (answer, isClaude) => print(isClaude ? toClaude(answer) : toDecision(answer)),
  cursor: (answer) =>
    print({ permission: answer.answer, user_message: toReason(answer), agent_message: toReason(answer) }),
  status: (answer) =>
    answer.answer === "allow" ? NOTHING : { out: "", err: `${toReason(answer)}\n`, status: REFUSED },
  cline: (answer) => (answer.answer === "allow" ? NOTHING : print({ cancel: true, errorMessage: toReason(answer) })),
  plain: (answer) => print({ answer: answer.answer, reason: toReason(answer) }),
} as const satisfies Readonly<Record<string, (answer: Ruled, isClaude: boolean) => ClientAnswer>>;

export type AnswerShape = keyof typeof SHAPES;

/**
 * The answer in the words of a client. One that cannot ask denies what it would have to ask about.
 * @param isClaude whether the event came in Claude's shape, for a client that has two
 */
export function writeHookAnswer(
  answer: GuardAnswer,
  { answer: shape, asks, title }: Asking & { readonly answer: AnswerShape },
  isClaude: boolean,
): ClientAnswer {
  const given = withoutQuestion(answer, { asks, title });
  return given.answer === "pass" ? NOTHING : SHAPES[shape](given, isClaude);
}

/** What a client that cannot ask gets in place of a question. */
export function withoutQuestion(answer: GuardAnswer, { asks, title }: Asking): GuardAnswer {
  if (answer.answer !== "ask" || asks) return answer;
  const text = `${answer.text}; that needs a person, whom ${title} cannot ask for a hook`;
  return { ...answer, answer: "deny", text };
}

interface Asking {
  readonly asks: boolean;
  readonly title: string;
}

/** Which rule it was, and where it stands, for the model and the person. */
function toReason({ text, origin }: Omit<Ruled, "answer" | "code">): string {
  return origin === "" ? `Toolcrib: ${text}` : `Toolcrib: ${text} (${origin})`;
}

function toDecision(answer: Ruled): object {
  return { permissionDecision: answer.answer, permissionDecisionReason: toReason(answer) };
}

function toClaude(answer: Ruled): object {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...toDecision(answer) } };
}

function print(value: object): ClientAnswer {
  return { ...NOTHING, out: `${JSON.stringify(value)}\n` };
}
