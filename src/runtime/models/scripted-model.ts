import { readFile } from "node:fs/promises";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord, listOf, objectOf, textOrNull } from "../../core/shape/json-value.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import type { ModelClient, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";

/** One reply of a script. */
export interface ScriptedReply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly arguments?: Readonly<Record<string, unknown>> }[];
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cached?: number };
  /** The stream breaks off after this. */
  readonly cut?: boolean;
  /** Anthropic's stop reason; `tool_use` or `end_turn` if absent. */
  readonly stop?: string;
  /** Returned instead of a reply. */
  readonly error?: { readonly status: number; readonly message?: string; readonly retryAfter?: number };
}

export interface Script {
  /** In order; a plain text is a reply with that text. */
  readonly replies: readonly (ScriptedReply | string)[];
  /** The replies of subagents, by the agent's name. */
  readonly agents?: Readonly<Record<string, readonly (ScriptedReply | string)[]>>;
}

/** A model that plays a script: for tests, demos and documentation. Each agent has its own list. */
export function createScriptedModel(script: Script, name = "scripted"): ModelClient {
  checkScript(script, name);
  const places = new Map<string | null, number>();
  return {
    id: name,
    provider: "scripted",
    wire: "anthropic",
    watch: anthropicWire.watch,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const { agent } = request;
      const replies = agent === null ? script.replies : (script.agents?.[agent] ?? []);
      const at = places.get(agent) ?? 0;
      places.set(agent, at + 1);
      const given = replies[at];
      const reply = typeof given === "string" ? { text: given } : given;
      if (reply === undefined)
        throw new ModelError(`the script has no reply ${at + 1}${agent === null ? "" : ` for the agent "${agent}"`}`);
      if (reply.error !== undefined) throw toError(reply.error);
      for (const event of toEvents(reply, request, `${agent ?? "call"}_${at + 1}`)) {
        signal.throwIfAborted();
        yield event;
      }
    },
  };
}

function toError({ status, message = "scripted error", retryAfter }: NonNullable<ScriptedReply["error"]>): ModelError {
  const isPassing = status === 429 || status >= 500;
  return new ModelError(`scripted answered ${status}: ${message}`, {
    status,
    isPassing,
    retryAfter: retryAfter ?? null,
  });
}

function* toEvents(reply: ScriptedReply, { payload, history }: ModelRequest, id: string): Generator<unknown> {
  const { thinking, text, calls = [], usage = {}, cut = false } = reply;
  const counted = {
    input: usage.input ?? JSON.stringify(history).length >> 2,
    output: usage.output ?? ((text ?? "").length >> 2) + 1,
  };
  yield {
    type: "message_start",
    message: {
      usage: { input_tokens: counted.input - (usage.cached ?? 0), cache_read_input_tokens: usage.cached ?? 0 },
    },
  };
  let index = 0;
  const block = function* (content_block: unknown, delta: unknown): Generator<unknown> {
    yield { type: "content_block_start", index, content_block };
    yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
    index += 1;
  };
  if (thinking !== undefined) yield* block({ type: "thinking", thinking: "" }, { type: "thinking_delta", thinking });
  if (text !== undefined) yield* block({ type: "text", text: "" }, { type: "text_delta", text });
  for (const [place, call] of calls.entries()) {
    const start = { type: "tool_use", id: `${id}_${place + 1}`, name: payload.names.toProvider(call.tool), input: {} };
    yield* block(start, { type: "input_json_delta", partial_json: JSON.stringify(call.arguments ?? {}) });
  }
  if (cut) throw new ModelError("scripted broke off", { isPassing: true });
  const stop_reason = reply.stop ?? (calls.length > 0 ? "tool_use" : "end_turn");
  yield { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: counted.output } };
  yield { type: "message_stop" };
}

/** Reads a script from a YAML or JSON file. */
export async function loadScript(path: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const why = isMissing ? "there is no such file" : cause instanceof Error ? cause.message : String(cause);
    throw new ToolcribError("model.script", `the script ${path} cannot be read: ${why}`);
  }
  let given: unknown;
  try {
    given = (await import("yaml")).parse(text);
  } catch (cause) {
    throw new ToolcribError(
      "model.script",
      `the script ${path} is neither YAML nor JSON: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
  const script = Array.isArray(given) ? { replies: given } : objectOf(given);
  checkScript(script, path);
  return script;
}

/** A wrong value shows when it is played; wrong keys are found here. `from` is the file, or the name of the model. */
function checkScript(given: unknown, from: string): asserts given is Script {
  const { replies, agents } = objectOf(given);
  const ofAgents = Object.entries(objectOf(agents)).map(([name, list]) => [`agents.${name}`, list] as const);
  for (const [place, list] of [["replies", replies] as const, ...ofAgents]) {
    if (!Array.isArray(list)) throw wrong(from, place, "a list of replies is expected");
    for (const [at, reply] of list.entries()) checkReply(reply, from, `${place}[${at}]`);
  }
}

const KEYS: ReadonlySet<string> = new Set(["thinking", "text", "calls", "usage", "cut", "stop", "error"]);

/** A reply of only text may be written as a string. */
function checkReply(given: unknown, from: string, place: string): void {
  if (typeof given === "string") return;
  if (!isRecord(given)) throw wrong(from, place, "a reply is a text or an object");
  const unknown = Object.keys(given).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw wrong(from, place, `"${unknown}" is unknown; known are ${[...KEYS].join(", ")}`);
  for (const [at, call] of listOf(given.calls).entries())
    if (textOrNull(objectOf(call).tool) === null) throw wrong(from, `${place}.calls[${at}]`, "a call needs a tool");
}

function wrong(from: string, place: string, text: string): ToolcribError {
  return new ToolcribError("model.script", `${from}: ${place}: ${text}`);
}
