import { type Entry, inspectionOf } from "../catalog/entry.ts";
import type { ReasonCode } from "../codes/codes.ts";
import { allSteps } from "../shape/all-steps.ts";
import { inspectTool, type KeptInspection } from "../tool/inspect-tool.ts";
import { isScanned, type Tool } from "../tool/tool.ts";
import type { Definition } from "./definition-texts.ts";
import { judgeSentence } from "./judge-sentence.ts";
import { toPlainText } from "./plain-text.ts";
import { type Glance, glanceAt, scanClosely } from "./scan-definition.ts";
import { type Scan, type Signal, type SignalName, toScan } from "./signal.ts";
import { toQuote } from "./visible-text.ts";

/** What naming and inspection already refused, by the name of its signal. */
const BY_FLAW: ReadonlyMap<ReasonCode, SignalName> = new Map([
  ["trust.invalid-name", "invalid-name"],
  ["trust.reserved-name", "reserved-name"],
  ["tool.invalid-schema", "invalid-schema"],
  ["trust.remote-ref", "remote-ref"],
  ["trust.schema-too-deep", "schema-too-deep"],
  ["trust.schema-too-large", "schema-too-large"],
] as const);
const CONTROL = /U\+00(?:[01][0-9A-F]|7F|[89][0-9A-F])\b/;

/** Everything that speaks against a tool of a catalog. */
export function scanEntry(entry: Entry): Scan {
  const { tool, flaws, lookAlikeOf } = entry;
  const signals: Signal[] = flaws.map(({ code, text }) => ({
    name: BY_FLAW.get(code) ?? toHiddenSignal(text),
    text,
    where: "definition",
  }));
  if (lookAlikeOf !== null) {
    const spells = tool.name.includes("__");
    const text = `its name looks like ${JSON.stringify(lookAlikeOf)}`;
    signals.push({ name: spells ? "name-collision" : "confusable-name", text, where: "name" });
  }
  return toScan([...signals, ...scanWording(entry)]);
}

/** By the flaw's text about the character that was found. */
export function toHiddenSignal(text: string): "control-characters" | "invisible-characters" {
  return CONTROL.test(text) ? "control-characters" : "invisible-characters";
}

const NOTHING: readonly Signal[] = [];

/** Several texts joined weigh more than each alone; honest tools stayed below this. */
const SURE = 25;

/** Its words and claims, and what it says about other servers' tools or together with its own. */
export function scanWording(entry: Pick<Entry, "tool" | "toldAbout" | "continued">): readonly Signal[] {
  const { tool, toldAbout, continued } = entry;
  if (!isScanned(tool)) return NOTHING;
  const own = tool.original === null ? scanOwnWording(tool, inspectionOf(entry)) : scanOwnWording(tool.original);
  if (toldAbout === null && continued === null) return own;
  const signals = [...own];
  if (toldAbout !== null) {
    const text = `says what to do about ${JSON.stringify(toldAbout.identity)}, a tool that is not its own`;
    signals.push({ name: "cross-tool-instruction", text, where: "description", quote: toQuote(toldAbout.sentence) });
  }
  if (continued !== null && weighTogether(continued.text) > SURE) {
    const text = `gives orders to the model together with ${JSON.stringify(continued.identity)}`;
    signals.push({ name: "imperative-to-model", text, where: "description", quote: toQuote(continued.text) });
  }
  return signals;
}

const together = new Map<string, number>();
const MAX_TOGETHER = 500;

function weighTogether(text: string): number {
  const earlier = together.get(text);
  if (earlier !== undefined) return earlier;
  if (together.size >= MAX_TOGETHER) together.clear();
  const { score } = judgeSentence(toPlainText(text).replaceAll("\n", " "), { standing: "description", home: () => 0 });
  together.set(text, score);
  return score;
}

/** Computed once per definition. */
function scanOwnWording(tool: Tool, kept = inspectTool(tool)): readonly Signal[] {
  if (kept.signals === null) {
    const definition = toDefinition(tool);
    const glance = look(definition, kept);
    kept.signals = glance === null ? NOTHING : allSteps(scanClosely(definition, glance));
  }
  return kept.signals as readonly Signal[]; // Only these two functions write it.
}

/** Computes that in steps, so that it is ready when needed. */
export function* scanSteps(tool: Tool): Generator<void, void, void> {
  const kept = inspectTool(tool);
  if (kept.signals !== null || !isScanned(tool)) return;
  const definition = toDefinition(tool);
  const glance = look(definition, kept);
  kept.signals = glance === null ? NOTHING : yield* scanClosely(definition, glance);
}

/** Null if there is nothing to find, or too much to read. What is plain needs no other inspection. */
function look(definition: Definition, kept: KeptInspection): Glance | null {
  const glance = glanceAt(definition);
  if (glance === null || glance.isPlain) kept.vouch();
  return kept.scanned ? glance : null;
}

function toDefinition(tool: Tool): Definition {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    claims: { readOnly: tool.traits.readOnly, harmless: tool.harmless, closedWorld: !tool.traits.openWorld },
  };
}
