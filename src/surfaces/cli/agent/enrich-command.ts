import type { Entry } from "../../../core/catalog/entry.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { askForRequests, type EnrichPlan, planEnrichment } from "../../../runtime/models/enrich-tools.ts";
import { findModel, nameModel } from "../../../runtime/models/find-model.ts";
import type { ModelClient } from "../../../runtime/models/model.ts";
import { ModelError } from "../../../runtime/models/model-error.ts";
import { toModelPlace } from "../../../runtime/models/model-place.ts";
import { escapeText, toJson } from "../../../system/text/escape-text.ts";
import type { RequestStore, WrittenTool } from "../../../system/written-requests.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { withSession } from "../servers/live-session.ts";
import { ownSearchStores } from "../stored/own-search-stores.ts";
import { countText } from "../terminal/name-list.ts";
import { requireModel } from "./require-model.ts";

/** `toolcrib enrich [NAME…]`: lets a model write example requests for tools that have none, for search alone. */
export async function runEnrich(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const config = await loadAsked(input);
  const { requests } = ownSearchStores(input, config);
  if (args.has("remove")) return remove(input, requests);
  await requireModel(input, config);
  const { id = "", provider = null } = config.model?.value ?? {};
  const place = toModelPlace(io, config);
  const named = nameModel(id, provider, place);
  // To print what would be asked, no key is needed.
  const model = args.has("dry-run") ? null : await findModel(id, provider, place);
  const toolset = await withSession(input, config, async ({ session }) => session.toolset);
  const plan = planEnrichment(toolset, await requests.load(), named, toChoice(args.operands, toolset));
  if (plan.tools === 0) return done(input, 0, [], "Every tool has requests already: nothing is to be written.\n");
  if (!args.has("json")) io.out(describePlan(plan, named));
  if (model === null) return done(input, 0, [], "Nothing was asked.\n", plan);
  if (!(await confirm(input, `Ask ${model.id}?`))) return 1;
  return write(input, plan, model, requests);
}

async function write(input: CommandInput, plan: EnrichPlan, model: ModelClient, store: RequestStore): Promise<number> {
  const { io, args } = input;
  const stop = new AbortController();
  const release = io.onInterrupt(async () => stop.abort());
  const silent: string[] = [];
  let tools = 0;
  let asked = 0;
  try {
    for (const batch of plan.batches) {
      const answer = await askForRequests(model, batch, stop.signal);
      const changes = new Map(
        [...answer].map(([{ signature, identity }, requests]): [string, WrittenTool] => [
          signature,
          { tool: identity, requests, model: model.id },
        ]),
      );
      // What is written so far stays, whatever becomes of the rest.
      await store.change(changes);
      tools += answer.size;
      asked += batch.length;
      silent.push(...batch.filter((entry) => !answer.has(entry)).map(({ identity }) => identity));
      if (!args.has("json")) io.err(`${asked} of ${plan.tools} tools\n`);
    }
  } catch (error) {
    const kept = `requests for ${tools} of ${plan.tools} tools are written and stay; run it again for the rest`;
    if (stop.signal.aborted) io.err(`toolcrib: stopped: ${kept}\n`);
    if (stop.signal.aborted) await new Promise<never>(() => {});
    if (error instanceof ModelError) throw new ToolcribError("model.failed", `${error.message}; ${kept}`);
    throw error;
  } finally {
    release();
  }
  done(input, tools, silent, describeWritten(tools, silent), plan);
  return tools === 0 ? 1 : 0;
}

const MOST_NAMED = 10;

function describeWritten(tools: number, silent: readonly string[]): string {
  const more = silent.length > MOST_NAMED ? ` and ${silent.length - MOST_NAMED} more` : "";
  const named = `${silent.length}: ${silent.slice(0, MOST_NAMED).join(", ")}${more}`;
  if (tools === 0)
    return `No requests were written: nothing usable came for ${named}. The model has to answer with one JSON object: the number of each tool, and a list of its requests.\n`;
  const left = silent.length === 0 ? "" : ` Nothing usable came for ${named}.`;
  return `Wrote requests for ${countText(tools, "tool")}; search uses them from now on, and "toolcrib enrich --remove" removes them.${left}\n`;
}

/** All, or those of the tools and servers that are named. */
async function remove(input: CommandInput, store: RequestStore): Promise<number> {
  const { args } = input;
  const written = [...(await store.load())];
  const isNamed = ({ tool }: WrittenTool): boolean =>
    args.operands.length === 0 || args.operands.some((name) => tool === name || tool.startsWith(`${name}/`));
  const gone = written.filter(([, tool]) => isNamed(tool)).map(([signature]) => [signature, null] as const);
  if (gone.length > 0) await store.change(new Map(gone));
  const text =
    gone.length === 0 ? "There are no such requests." : `Removed the requests of ${countText(gone.length, "tool")}.`;
  return done(input, gone.length, [], `${text}\n`);
}

function toChoice(names: readonly string[], { scene: { resolver } }: Toolset): (entry: Entry) => boolean {
  if (names.length === 0) return () => true;
  const wanted = new Set(
    names.flatMap((name) => {
      const found = resolver.resolve(name);
      if (found.kind === "found") return found.meaning.entries;
      throw usage(`no tool or server has the name ${JSON.stringify(name)}`);
    }),
  );
  return (entry) => wanted.has(entry);
}

function describePlan({ batches, tools, tokens, cost }: EnrichPlan, { id }: Pick<ModelClient, "id">): string {
  const servers = new Map<string, number>();
  for (const [first, ...rest] of batches) {
    const server = first?.tool.server ?? first?.tool.source ?? "";
    servers.set(server, (servers.get(server) ?? 0) + rest.length + 1);
  }
  const shown = [...servers].map(([name, count]) => `${name} (${count})`).join(", ");
  const price = cost === null ? "nobody knows what that costs" : `about $${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
  return escapeText(
    `${countText(tools, "tool has", "tools have")} no example requests: ${shown}.\n${id} would be asked ${countText(batches.length, "time")}, with their names, descriptions and parameters: about ${tokens.input} tokens in and ${tokens.output} out, ${price}.\n`,
  ).replaceAll("\\n", "\n");
}

function done(
  { io, args }: CommandInput,
  tools: number,
  silent: readonly string[],
  text: string,
  plan: EnrichPlan | null = null,
): number {
  const cost = plan === null ? {} : { planned: plan.tools, tokens: plan.tokens, cost: plan.cost };
  io.out(args.has("json") ? toJson({ tools, silent, ...cost }, io.isTTY) : escapeText(text).replaceAll("\\n", "\n"));
  return 0;
}
