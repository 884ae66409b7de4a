import { CODE_NAME } from "../../../core/catalog/code-tool.ts";
import { summarizeFunction, toDeclaration, writeSignature } from "../../../core/code/declare-function.ts";
import { type CodeFunction, type CodeFunctions, toFunctions } from "../../../core/code/functions.ts";
import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { isScanned, type Tool } from "../../../core/tool/tool.ts";
import type { Placement } from "../../../core/toolset/toolset.ts";
import type { CodeOwner, CodePort, CodeTools, InnerOutcome } from "../../../sources/code-port.ts";
import { failure } from "../../../sources/parts/results.ts";
import { CONNECTED, IN_PROCESS, type Source } from "../../../sources/source.ts";
import type { Timing } from "../../../system/surroundings.ts";
import type { Executor } from "../../executor/executor.ts";
import { DEFAULT_LIMITS, type ExecutorLimits } from "../../executor/executor-limits.ts";
import type { Request } from "../../requests/request.ts";
import { lookedUp } from "../calls/direct-request.ts";
import type { FindTools } from "../search/search-source.ts";

export interface SessionCodePorts {
  readonly timing: Timing;
  readonly executor: () => Promise<Executor>;
  readonly sourceOf: (tool: Tool) => Source | undefined;
  readonly find: FindTools;
  readonly limits: Partial<ExecutorLimits>;
  readonly owner: CodeOwner;
}

/** What a call from code may bring back; it is memory of the code, and no model reads it as it is. */
const MOST_RESULT = 8 * 2 ** 20;

/** Runs `run_code` of one session, loaded on first use. It belongs to no list: the catalog adds the tool itself. */
export function createSessionCode(ports: SessionCodePorts): Source {
  /** What code has looked up so far, by wire name, with the signature that it had: for code alone (K6). */
  const known = new Map<string, string>();
  let source: Promise<Source> | null = null;
  let executor: Executor | null = null;
  const port: CodePort = {
    open(toolCallId) {
      const request = executor?.requestOf(toolCallId) ?? null;
      if (executor === null || request === null) throw new Error(`${toolCallId} does not run`);
      return openTools({ ...ports, executor, request, known, toolCallId });
    },
  };
  const open = async (): Promise<Source> => {
    const { createCodeSource } = await import("../../../sources/code/code-source.ts");
    executor = await ports.executor();
    const { computing = DEFAULT_LIMITS.computing } = ports.limits;
    return createCodeSource({ port, owner: ports.owner, today: ports.timing.today, limits: { computing } });
  };
  return {
    kind: "builtin",
    name: "code",
    status: CONNECTED,
    manner: { ...IN_PROCESS, slack: null, queue: "never" },
    list: async () => [],
    async run(tool, args, context) {
      source ??= open();
      return (await source).run(tool, args, context);
    },
    changes: () => () => {},
    close: async () => (await source)?.close(),
  };
}

interface RunPorts extends Omit<SessionCodePorts, "executor"> {
  readonly executor: Executor;
  /** That in which the model wrote the code: its tools are those of the code (K3). */
  readonly request: Request;
  readonly known: Map<string, string>;
  readonly toolCallId: string;
}

function openTools({ executor, request: own, known, toolCallId, find, sourceOf, timing }: RunPorts): CodeTools {
  const functions = toFunctions(own.toolset);
  const learn = ({ placement: { entry } }: CodeFunction): void => void known.set(entry.wireName, entry.signature);
  const isFound = ({ entry }: Placement): boolean => known.get(entry.wireName) === entry.signature;
  const request = lookedUp(own, isFound, sourceOf);
  /** For names that mean nothing here. What comes near to them is for this to say. */
  const nowhere: Request = { toolset: own.toolset, find: () => ({ kind: "unknown", nearest: [] }) };
  const guess = createGuesses(functions);
  return {
    servers: functions.servers,
    async search(query, { limit, server }, signal) {
      const wish = { query, limit, server, task: null, more: false };
      const { answer, computed } = await find(wish, signal, null);
      const hits = answer.hits.flatMap(({ entry }) => functions.find(entry.wireName) ?? []);
      for (const hit of hits) learn(hit);
      return {
        functions: hits.map((hit) => ({ call: writeSignature(hit), description: summarizeFunction(hit) })),
        computed,
      };
    },
    describe(name) {
      const found = functions.find(name);
      if (found === undefined) return null;
      learn(found);
      return toDeclaration(found);
    },
    async call(name, args, { line: codeLine, client }) {
      if (name === CODE_NAME) return refused(`${CODE_NAME} cannot be called from code.`);
      const found = functions.find(name);
      const toolName = found?.placement.entry.wireName ?? name;
      const made = { id: timing.newId(), toolName, arguments: args };
      const call = codeLine === null ? made : { ...made, codeLine };
      const outcome = await executor.inside(toolCallId, call, {
        request: found === undefined ? nowhere : request,
        client,
        resultBytes: MOST_RESULT,
      });
      if (outcome === null) return refused("The code has ended, so nothing was run.");
      const { result, additionalContext: notes, endTurn: endsTurn } = outcome;
      if (found === undefined) return refused(guess(name));
      return { result, notes, endsTurn, isStrange: isScanned(found.placement.entry.tool) };
    },
  };
}

function refused(text: string): InnerOutcome {
  return { result: failure(text), notes: [], endsTurn: false, isStrange: false };
}

/** Names for which a run is told what comes near to them: looking for that goes through all names that there are. */
const MOST_GUESSES = 20;

/** Says that there is no such function, and which one may be meant. */
function createGuesses({ all }: CodeFunctions): (name: string) => string {
  const known = new Map<string, readonly string[]>();
  const nearTo = (name: string): readonly string[] => {
    if (known.size >= MOST_GUESSES) return known.get(name) ?? [];
    const near =
      known.get(name) ??
      nearestNames(
        name,
        all.map(({ path }) => path),
      );
    known.set(name, near);
    return near;
  };
  return (name) => {
    const near = nearTo(name);
    const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
    return `There is no function ${name.slice(0, 100)}.${meant} Look for one with tools.search.`;
  };
}
