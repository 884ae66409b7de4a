import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import { DIALECTS } from "../../core/dialects/dialects.ts";
import type { DialectName } from "../../core/dialects/limits/limits.ts";
import { GATES } from "../../core/gates/gates.ts";
import { readWorld } from "../../core/scene/world.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { type Tool, toTool } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { toReadProblem } from "../../system/paths/read-problem.ts";
import { invalid } from "./read-lines.ts";

/** Counts what a model reads; `name` is that of the tokenizer. */
export interface TokenCounter {
  readonly name: string;
  count(text: string): number;
}

interface TokenRow {
  readonly dialect: DialectName;
  readonly inline: number;
  readonly deferred: number;
  /** `deferred` as a share of `inline`. */
  readonly share: number;
}

export interface TokenReport {
  readonly tools: number;
  readonly tokenizer: string;
  readonly dialects: readonly TokenRow[];
}

/**
 * What reaches the model's context in a first request: all definitions inline, compared with deferred behind
 * `tool_search`.
 */
export function evalTokens(
  files: readonly { readonly path: string; readonly shown: string }[],
  counter: TokenCounter,
): TokenReport {
  const tools = files.flatMap(({ path, shown }) => readCatalog(path, shown));
  const inline = place(tools, "off");
  const deferred = place(tools, "on");
  // The table's own keys.
  const names = Object.keys(DIALECTS) as DialectName[];
  return {
    tools: tools.length,
    tokenizer: counter.name,
    dialects: names.map((dialect) => {
      const [before, after] = [countContext(inline, dialect, counter), countContext(deferred, dialect, counter)];
      return { dialect, inline: before, deferred: after, share: Math.round((after / before) * 10_000) / 10_000 };
    }),
  };
}

function place(tools: readonly Tool[], toolSearch: "on" | "off"): Toolset {
  const world = { tools: [], options: { toolSearch, model: { id: "eval", maxTools: 1_000_000 } } };
  // The scanner's opinion of a definition has nothing to do with its cost.
  const gates = GATES.filter(({ name }) => name !== "trust");
  return buildToolset(buildCatalog(tools), readWorld(world, "eval").scene, gates);
}

/** Definitions that the provider or its SDK holds back until they are loaded are sent, but not read by the model. */
function countContext(toolset: Toolset, dialect: DialectName, counter: TokenCounter): number {
  const payload = DIALECTS[dialect].payload(toolset);
  const active = "activeTools" in payload ? new Set(payload.activeTools) : null;
  const read = Object.entries(payload.tools).filter(
    ([name, tool]) => !isKeptBack(tool) && (active === null || active.has(name)),
  );
  const text = Array.isArray(payload.tools) ? read.map(([, tool]) => tool) : Object.fromEntries(read);
  const prompt = payload.system.reduce((sum, section) => sum + counter.count(section.text), 0);
  return counter.count(JSON.stringify(text)) + prompt;
}

function isKeptBack(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && Reflect.get(tool, "defer_loading") === true;
}

/** A server's `tools/list` answer, or any object or list with such tools. */
function readCatalog(path: string, shown: string): readonly Tool[] {
  const value = parse(path, shown);
  const list: unknown = Array.isArray(value) ? value : isRecord(value) ? value.tools : null;
  if (!Array.isArray(list)) throw invalid(`${shown}: it must hold a list "tools"`);
  const server = basename(shown).replace(/\.[^.]*$/, "");
  return list.map((tool: unknown, at) => {
    if (!isRecord(tool) || typeof tool.name !== "string") throw invalid(`${shown}: tools[${at}] has no name`);
    const { name, description, server: own, inputSchema = null } = tool;
    return toTool({
      name,
      source: "mcp",
      server: typeof own === "string" && own !== "" ? own : server,
      description: typeof description === "string" ? description : "",
      inputSchema,
    });
  });
}

function parse(path: string, shown: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw invalid(`cannot read ${shown}: ${toReadProblem(error)}`);
  }
}
