/** A reply that a provider may give besides calls and text, as its stream says it. */
type OddReply = "arguments that are no JSON" | "a refusal" | "too long" | "nothing said";

type OddReplies = Readonly<Record<OddReply, string>>;

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

const named = (...events: readonly StreamEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const bare = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** Where the arguments of the call `c1` break off. */
const BROKEN = '{"what": ';

const anthropic = (stop: string, ...blocks: readonly [object, object][]): string =>
  named(
    { type: "message_start", message: { content: [], usage: { input_tokens: 1 } } },
    ...blocks.flatMap(([content_block, delta], index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  );
const ANTHROPIC_CALL: [object, object] = [
  { type: "tool_use", id: "c1", name: "look", input: {} },
  { type: "input_json_delta", partial_json: BROKEN },
];

const responses = (type: string, response: object, item: object | null, ...deltas: readonly StreamEvent[]): string =>
  named(
    { type: "response.created", response: { id: "r1", output: [], status: "in_progress" } },
    ...(item === null
      ? []
      : [{ type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } }]),
    ...deltas.map((delta) => ({ ...delta, output_index: 0, item_id: "i1" })),
    ...(item === null ? [] : [{ type: "response.output_item.done", output_index: 0, item }]),
    { type, response: { id: "r1", output: item === null ? [] : [item], ...response } },
  );
const RESPONSES_CALL = { type: "function_call", id: "i1", call_id: "c1", name: "look", arguments: BROKEN };
const RESPONSES_PIECE = { type: "response.function_call_arguments.delta", delta: BROKEN };
const NO = { type: "refusal", refusal: "No." };

const chat = (finish_reason: string, delta: object): string =>
  `${bare(
    { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
  )}data: [DONE]\n\n`;
const CHAT_CALL = {
  tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "look", arguments: BROKEN } }],
};

const gemini = (finishReason: string, ...parts: readonly object[]): string =>
  bare({ candidates: [{ index: 0, content: { role: "model", parts }, finishReason }] });

const RESPONSES: OddReplies = {
  "arguments that are no JSON": responses(
    "response.completed",
    { status: "completed" },
    RESPONSES_CALL,
    RESPONSES_PIECE,
  ),
  "a refusal": responses(
    "response.completed",
    { status: "completed" },
    { type: "message", id: "i1", role: "assistant", content: [NO] },
    { type: "response.refusal.delta", content_index: 0, delta: "No." },
  ),
  "too long": responses(
    "response.incomplete",
    { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    { ...RESPONSES_CALL, status: "incomplete" },
    RESPONSES_PIECE,
  ),
  "nothing said": responses("response.completed", { status: "completed" }, null),
};

export const ODD_REPLIES = {
  anthropic: {
    "arguments that are no JSON": anthropic("tool_use", ANTHROPIC_CALL),
    "a refusal": anthropic("refusal"),
    "too long": anthropic("max_tokens", ANTHROPIC_CALL),
    "nothing said": anthropic("end_turn"),
  },
  openai: RESPONSES,
  azure: RESPONSES,
  compatible: {
    "arguments that are no JSON": chat("tool_calls", CHAT_CALL),
    "a refusal": chat("stop", { refusal: "No." }),
    "too long": chat("length", CHAT_CALL),
    "nothing said": chat("stop", {}),
  },
  gemini: {
    "arguments that are no JSON": gemini("STOP", { functionCall: { id: "c1", name: "look", args: BROKEN } }),
    "a refusal": gemini("SAFETY"),
    "too long": gemini("MAX_TOKENS", { functionCall: { id: "c1", name: "look", args: {}, willContinue: true } }),
    "nothing said": gemini("STOP"),
  },
} as const satisfies Readonly<Record<string, OddReplies>>;
