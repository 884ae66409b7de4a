import type { AnsweredCall, HistoryMessage } from "../../call/message.ts";
import { reword, type ToolResult } from "../../call/tool-result.ts";
import { SEARCH_NAME } from "../../catalog/search-tool.ts";
import type { Notice } from "../../codes/reason.ts";
import { isRecord, type JsonObject } from "../../shape/json-value.ts";
import type { PromptSection } from "../../toolset/prompt-sections.ts";
import type { Toolset } from "../../toolset/toolset.ts";
import type { DialectLimits, DialectName } from "../limits/limits.ts";
import type { StreamPart } from "../stream/stream-part.ts";
import type { Advertised, Advertisement, DeferralForm, PayloadOptions } from "../tools/advertise.ts";
import type { Names } from "../tools/names.ts";

/** The tool-related content of one request. */
export interface Payload<Tools> {
  /** Mutable because the SDKs' own types are; not read again here. */
  readonly tools: Tools;
  /** Text for the system prompt, most stable first. */
  readonly system: readonly PromptSection[];
  readonly names: Names;
  readonly deferral: DeferralForm;
  /** How many leading tools are built-ins: this prefix stays byte-identical while other tools come and go. */
  readonly boundary: number;
  /** What a search can load, by wire name, for results that load tools. */
  readonly loadable: ReadonlyMap<string, Advertised>;
  /** What the provider would refuse, and what to do about it. */
  readonly notices: readonly Notice[];
}

/** How one provider is given tools, calls them and gets results. */
export interface Dialect<Tools, Message> {
  readonly name: DialectName;
  readonly limits: DialectLimits;
  /** Whether a stream event is this provider's, even if it carries no call or text. */
  owns(event: JsonObject, type: string): boolean;
  /** Whether a whole response is this provider's, even an empty one. Defaults to `owns`. */
  isWhole?(response: JsonObject): boolean;
  payload(toolset: Toolset, options?: PayloadOptions): Payload<Tools>;
  /** The events of the provider's SDK as parts. `names` come from the payload that was sent. */
  readStream(
    events: AsyncIterable<unknown> | Iterable<unknown>,
    names?: Names,
  ): AsyncGenerator<StreamPart, void, undefined>;
  /** The same for a response that was not streamed. */
  readResponse(response: unknown, names?: Names): readonly StreamPart[];
  /** What to append to the history: one result for each call, in the order of the calls. */
  results(
    results: readonly AnsweredCall[],
    payload: Pick<Payload<unknown>, "names" | "deferral" | "loadable">,
  ): Message[];
}

export function toPayload<Tools>(
  tools: Tools,
  system: readonly PromptSection[],
  { names, deferral, boundary, deferred, notices }: Advertisement,
): Payload<Tools> {
  const loadable = new Map(deferred.map((one) => [one.wireName, one]));
  return { tools, system, names, deferral, boundary, loadable, notices };
}

/** The results that the model should see, with the extra text that follows each. */
export function toSend(results: readonly AnsweredCall[]): readonly AnsweredCall[] {
  return results
    .filter(({ sendToModel }) => sendToModel !== false)
    .map((answered) => {
      const { result, additionalContext = [] } = answered;
      const isSilent = isFailure(result) && result.textResultForLlm.trim() === "";
      if (additionalContext.length === 0 && !isSilent) return answered;
      const text = isSilent ? SILENT : result.textResultForLlm;
      return { ...answered, result: reword(result, [text, ...additionalContext].join("\n\n")) };
    });
}

/** Anthropic refuses a failure without text, and then every later request with it in the history. */
const SILENT = "The tool failed and said nothing about it.";

/** The loadable tools that a result loads. */
export function loadedBy(
  answered: AnsweredCall,
  { deferral, loadable }: Pick<Payload<unknown>, "deferral" | "loadable">,
): readonly Advertised[] {
  return deferral === "native" ? claimLoaded(answered).flatMap((name) => loadable.get(name) ?? []) : [];
}

/** The wire names of the tools that the searches in a history have loaded. */
export function loadedIn(history: readonly HistoryMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of history) {
    if (message.role !== "answers") continue;
    for (const answered of message.answers) for (const name of claimLoaded(answered)) names.add(name);
  }
  return names;
}

/** Only the search says so in its structured result: that of another tool is its server's. */
function claimLoaded({ call, loaded, result: { structured } }: AnsweredCall): readonly string[] {
  if (loaded !== undefined) return loaded;
  if (call.toolName !== SEARCH_NAME || !isRecord(structured) || !Array.isArray(structured.loaded)) return [];
  return structured.loaded.map(String);
}

export function isFailure({ resultType }: ToolResult): boolean {
  return resultType !== "success";
}
