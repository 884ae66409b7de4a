import type { Entry } from "../../core/catalog/entry.ts";
import { ANSWER_TOKENS, describeTools, readRequests, WRITE_REQUESTS } from "../../core/search/write-requests.ts";
import { factsOf } from "../../core/tool/source-kinds.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { shippedRequests } from "../../system/shipped-requests.ts";
import type { WrittenRequests } from "../../system/written-requests.ts";
import { askText } from "./ask-text.ts";
import type { ModelClient, TokenUsage } from "./model.ts";
import { costOf, priceOf } from "./prices.ts";

/** Tools of one server that a model is asked about together, so that no server's text can influence another's tools. */
type Batch = readonly Entry[];

export interface EnrichPlan {
  readonly batches: readonly Batch[];
  readonly tools: number;
  /** Estimated tokens. */
  readonly tokens: Pick<TokenUsage, "input" | "output">;
  /** US dollars; null if no price is known. */
  readonly cost: number | null;
}

const BATCH = 12;
const CHARACTERS_A_TOKEN = 4;

/** Which tools have no example requests of their own, shipped or written, and what writing some would cost. */
export function planEnrichment(
  { placements }: Toolset,
  written: WrittenRequests,
  model: Pick<ModelClient, "provider" | "id">,
  isWanted: (entry: Entry) => boolean = () => true,
): EnrichPlan {
  const entries = placements
    .filter(({ standing, entry }) => standing !== "hidden" && factsOf(entry.tool.source).deferrable === true)
    .map(({ entry }) => entry);
  const shipped = shippedRequests().match(entries.map(({ tool }) => tool));
  const bare = entries.filter(
    (entry) =>
      entry.tool.examples.length === 0 && !shipped.has(entry.tool) && !written.has(entry.signature) && isWanted(entry),
  );
  const batches = toBatches(bare);
  const characters = batches.reduce((sum, batch) => sum + WRITE_REQUESTS.length + toPrompt(batch).length, 0);
  const tokens = { input: Math.ceil(characters / CHARACTERS_A_TOKEN), output: bare.length * ANSWER_TOKENS };
  const price = priceOf(model.provider, model.id);
  const cost = price === null ? null : costOf({ ...tokens, cached: 0, written: 0 }, price);
  return { batches, tools: bare.length, tokens, cost };
}

function toBatches(entries: readonly Entry[]): readonly Batch[] {
  const servers = new Map<string, Entry[]>();
  for (const entry of entries) {
    const server = entry.tool.server ?? "";
    servers.set(server, [...(servers.get(server) ?? []), entry]);
  }
  return [...servers.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH)),
  );
}

function toPrompt(batch: Batch): string {
  return describeTools(batch.map(({ tool }) => tool));
}

/** Asks a model for example requests of a few tools. Tools without a usable answer are left out. */
export async function askForRequests(
  model: ModelClient,
  batch: Batch,
  signal: AbortSignal,
): Promise<ReadonlyMap<Entry, readonly string[]>> {
  const { text } = await askText(model, { task: WRITE_REQUESTS, text: toPrompt(batch), maxTokens: null }, signal);
  const requests = readRequests(text, batch.length);
  return new Map(
    batch.flatMap((entry, at) => {
      const own = requests[at] ?? [];
      return own.length === 0 ? [] : [[entry, own] as const];
    }),
  );
}
