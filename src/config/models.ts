import { toGlob } from "../core/catalog/glob.ts";
import type { Origin, Sourced } from "../core/codes/origin.ts";
import { DEFAULT_CONTEXT_WINDOW, DEFAULT_MAX_TOOLS, type Model } from "../core/scene/scene.ts";
import type { ModelFacts } from "./shape/file-shape.ts";

const facts = ({
  capabilities,
  ...rest
}: Omit<ModelFacts, "capabilities"> & { capabilities?: Record<string, boolean | string> }): ModelFacts => ({
  ...rest,
  ...(capabilities === undefined ? {} : { capabilities: new Map(Object.entries(capabilities)) }),
});

const PATCH = ["edit:patch"];
const NO_NATIVE_SEARCH = facts({ capabilities: { toolSearch: false } });
const NATIVE_SEARCH = facts({ capabilities: { toolSearch: "native" } });
const TEXT_ONLY = facts({ capabilities: { vision: false } });

/**
 * The shipped table. Tool search is native from Claude 4.5 and GPT 5.4 on; OpenAI's chat interface takes 128 tools,
 * Gemini 512; OpenAI models are trained on patches. An id that matches no line has no capability.
 */
export const MODELS: ReadonlyMap<string, ModelFacts> = new Map([
  ["claude-*", facts({ capabilities: { vision: true, toolSearch: "native" }, contextWindow: 200_000 })],
  ["sonnet", facts({ capabilities: { vision: true, toolSearch: "native" } })],
  ["opus", facts({ capabilities: { vision: true, toolSearch: "native" } })],
  ["haiku", facts({ capabilities: { vision: true, toolSearch: "native" } })],
  ["claude-2*", facts({ capabilities: { vision: false, toolSearch: false }, contextWindow: 100_000 })],
  ["claude-3*", NO_NATIVE_SEARCH],
  ["claude-opus-4", NO_NATIVE_SEARCH],
  ["claude-opus-4-0*", NO_NATIVE_SEARCH],
  ["claude-opus-4-1*", NO_NATIVE_SEARCH],
  ["claude-opus-4.1*", NO_NATIVE_SEARCH],
  ["claude-opus-4-2025*", NO_NATIVE_SEARCH],
  ["claude-opus-41", NO_NATIVE_SEARCH],
  ["claude-sonnet-4", NO_NATIVE_SEARCH],
  ["claude-sonnet-4-0*", NO_NATIVE_SEARCH],
  ["claude-sonnet-4-2025*", NO_NATIVE_SEARCH],
  ["gpt-*", facts({ capabilities: { vision: true }, variants: PATCH, maxTools: 128, contextWindow: 400_000 })],
  ["gpt-3.5*", facts({ capabilities: { vision: false }, contextWindow: 16_385 })],
  ["gpt-4*", facts({ contextWindow: 128_000 })],
  ["gpt-4.1*", facts({ contextWindow: 1_047_576 })],
  ["gpt-5.4*", NATIVE_SEARCH],
  ["gpt-5.5*", NATIVE_SEARCH],
  ["gpt-5.6*", NATIVE_SEARCH],
  ["gpt-6*", NATIVE_SEARCH],
  ["gpt-oss*", facts({ capabilities: { vision: false }, contextWindow: 131_072 })],
  ["o1*", facts({ capabilities: { vision: true }, variants: PATCH, maxTools: 128, contextWindow: 200_000 })],
  ["o1-mini*", facts({ capabilities: { vision: false }, contextWindow: 128_000 })],
  ["o3*", facts({ capabilities: { vision: true }, variants: PATCH, maxTools: 128, contextWindow: 200_000 })],
  ["o3-mini*", TEXT_ONLY],
  ["o4-*", facts({ capabilities: { vision: true }, variants: PATCH, maxTools: 128, contextWindow: 200_000 })],
  ["gemini-*", facts({ capabilities: { vision: true }, maxTools: 512, contextWindow: 1_048_576 })],
  ["gemini-1.5-pro*", facts({ contextWindow: 2_097_152 })],
  ["deepseek-*", facts({ contextWindow: 128_000 })],
]);

/** A model with all that is known about it; the user's lines override the shipped ones whatever their patterns. */
export function toModel(id: string, origin: Origin, own: ReadonlyMap<string, Sourced<ModelFacts>> = new Map()): Model {
  const shipped = [...MODELS].map(([pattern, known]) => ({ pattern, known }));
  const found = matching(id, shipped);
  const lines = found.length === 0 ? matching(toPlainId(id), shipped) : found;
  const added = [...own].map(([pattern, { value }]) => ({ pattern, known: value }));
  const capabilities = new Map<string, boolean | string>();
  const variants = new Map<string, string>();
  let maxTools = DEFAULT_MAX_TOOLS;
  let contextWindow = DEFAULT_CONTEXT_WINDOW;
  let instructions: string | null = null;
  for (const line of [...lines, ...matching(id, added)]) {
    const said = line.known;
    for (const [name, value] of said.capabilities ?? []) capabilities.set(name, value);
    for (const variant of said.variants ?? []) variants.set(variant.split(":", 1)[0] ?? variant, variant);
    maxTools = said.maxTools ?? maxTools;
    contextWindow = said.contextWindow ?? contextWindow;
    instructions = said.instructions ?? instructions;
  }
  return { id, origin, capabilities, variants: [...variants.values()], maxTools, contextWindow, instructions };
}

type Line = { readonly pattern: string; readonly known: ModelFacts };

/** No model has a longer name. */
const LONGEST_TITLE = 200;

/** `Claude Sonnet 4.5 (copilot)` in a VS Code agent file is `claude-sonnet-4.5`. */
function toPlainId(title: string): string {
  return title
    .slice(0, LONGEST_TITLE)
    .replace(/\s*\([^()]*\)\s*$/, "")
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, "-");
}

/** `provider/id` also matches by its id. Least specific first, so that later lines override; then in table order. */
function matching(id: string, lines: readonly Line[]): readonly Line[] {
  const bare = id.slice(id.lastIndexOf("/") + 1);
  const specificity = ({ pattern }: Line) => pattern.replaceAll("*", "").length + (pattern.includes("*") ? 0 : 0.5);
  const fits = ({ pattern }: Line) => toGlob(pattern)(id) || toGlob(pattern)(bare);
  return lines.filter(fits).sort((a, b) => specificity(a) - specificity(b));
}
