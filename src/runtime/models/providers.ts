import { anthropicWire } from "./anthropic-wire.ts";
import { chatWire } from "./chat-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { responsesWire } from "./responses-wire.ts";
import type { ModelWire } from "./wire.ts";

/** The address of a provider, and the variables that configure it. */
export interface Provider {
  readonly wire: ModelWire;
  /** Null: only given by the variable. */
  readonly baseUrl: string | null;
  readonly urlVariables: readonly string[];
  readonly keyVariables: readonly string[];
  /** Runs on this machine, so it needs no key. */
  readonly local?: boolean;
  /** Appended to the address that a variable gives. */
  readonly path?: string;
  readonly headers?: (key: string | null) => Readonly<Record<string, string>>;
}

/** Shipped providers by name, in the order in which their keys are looked for. */
export const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    "anthropic",
    remote(anthropicWire, "https://api.anthropic.com/v1", ["ANTHROPIC_API_KEY"], ["ANTHROPIC_BASE_URL"], "/v1"),
  ],
  ["openai", remote(responsesWire, "https://api.openai.com/v1", ["OPENAI_API_KEY"], ["OPENAI_BASE_URL"])],
  [
    "gemini",
    remote(geminiWire, "https://generativelanguage.googleapis.com/v1beta", ["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
  ],
  [
    "azure",
    {
      ...remote(responsesWire, null, ["AZURE_OPENAI_API_KEY"], ["AZURE_OPENAI_ENDPOINT"], "/openai/v1"),
      headers: (key): Readonly<Record<string, string>> => (key === null ? {} : { "api-key": key }),
    },
  ],
  ["openrouter", remote(chatWire, "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"])],
  ["groq", remote(chatWire, "https://api.groq.com/openai/v1", ["GROQ_API_KEY"])],
  ["mistral", remote(chatWire, "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"])],
  ["deepseek", remote(chatWire, "https://api.deepseek.com/v1", ["DEEPSEEK_API_KEY"])],
  ["xai", remote(chatWire, "https://api.x.ai/v1", ["XAI_API_KEY"])],
  ["ollama", local("http://127.0.0.1:11434", ["OLLAMA_HOST"])],
  ["lmstudio", local("http://127.0.0.1:1234", ["LMSTUDIO_HOST"])],
  ["llamacpp", local("http://127.0.0.1:8080", ["LLAMACPP_HOST"])],
]);

function remote(
  wire: ModelWire,
  baseUrl: string | null,
  keyVariables: readonly string[],
  urlVariables: readonly string[] = [],
  path = "",
): Provider {
  return { wire, baseUrl, keyVariables, urlVariables, path };
}

function local(address: string, urlVariables: readonly string[]): Provider {
  return { wire: chatWire, baseUrl: `${address}/v1`, urlVariables, keyVariables: [], local: true, path: "/v1" };
}

/** The address of a provider: a variable may leave out the common part. */
export function providerAddress(
  { baseUrl, urlVariables, path = "" }: Provider,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const set = urlVariables
    .map((variable) => env[variable]?.trim())
    .find((value) => value !== undefined && value !== "");
  if (set === undefined) return baseUrl;
  const address = (/^https?:\/\//.test(set) ? set : `http://${set}`).replace(/\/+$/, "");
  return address.endsWith(path) ? address : `${address}${path}`;
}

/** Ids that name their provider by themselves. */
const OWN_IDS: readonly (readonly [RegExp, string])[] = [
  [/^claude-|^(?:opus|sonnet|haiku)$/, "anthropic"],
  [/^(?:gpt-|chatgpt-|o\d)/, "openai"],
  [/^gemini-/, "gemini"],
];

export interface NamedModel {
  readonly provider: string;
  readonly id: string;
}

/** `provider/id`, or an id that is known to belong to one provider; null if neither. */
export function splitModelName(name: string, known: ReadonlySet<string>): NamedModel | null {
  const at = name.indexOf("/");
  if (at > 0 && known.has(name.slice(0, at))) return { provider: name.slice(0, at), id: name.slice(at + 1) };
  const own = OWN_IDS.find(([pattern]) => pattern.test(name));
  return own === undefined ? null : { provider: own[1], id: name };
}
