import { fromThrown } from "../../core/call/tool-result.ts";
import { createPassingSet } from "../../system/passing.ts";
import type { Host } from "../host.ts";
import { CONNECTED, IN_PROCESS, type RunContext, type Source } from "../source.ts";
import { isAgentTool } from "./definitions/agents.ts";
import type { Builtin } from "./definitions/builtin.ts";
import { BUILTIN_TOOLS, BUILTINS } from "./definitions.ts";
import type { BuiltinFamily } from "./parts/handler.ts";
import { type BuiltinResult, withoutOutcome } from "./parts/outcome.ts";
import { fail } from "./parts/results.ts";

/** A source whose results also carry their outcome as data, for dialects with their own wording. */
export interface BuiltinSource extends Source {
  run(...call: Parameters<Source["run"]>): Promise<BuiltinResult>;
  foresee?(...call: Parameters<Source["run"]>): Promise<BuiltinResult | null>;
}

/** The same tools with our own wording. */
export function inOurWords(source: BuiltinSource): Source {
  const foresee = async (...call: Parameters<Source["run"]>) => {
    const failure = (await source.foresee?.(...call)) ?? null;
    return failure === null ? null : withoutOutcome(failure);
  };
  return { ...source, foresee, run: async (...call) => withoutOutcome(await source.run(...call)) };
}

/** The built-in tools of one session. Each family is loaded on the first call of one of its tools. */
export function createBuiltinSource(host: Host): BuiltinSource {
  const loaded = new Map<Builtin["load"], Promise<BuiltinFamily>>();
  const running = createPassingSet<Promise<BuiltinResult>>();
  const closing = new AbortController();

  const load = ({ load: make }: Builtin): Promise<BuiltinFamily> => {
    const family = loaded.get(make) ?? make();
    loaded.set(make, family);
    return family;
  };

  const runTool = async (name: string, args: Readonly<Record<string, unknown>>, context: RunContext) => {
    const called = BUILTINS.find(({ tool }) => tool.name === name);
    if (called === undefined) return fail(`The built-in tool ${name} cannot be run here.`);
    try {
      const handler = (await load(called)).handlers.get(name);
      if (handler === undefined) throw new Error(`the family of ${name} has no handler for it`);
      context.signal.throwIfAborted();
      return await handler(args, context, host);
    } catch (error) {
      return context.signal.aborted ? fail(`${name} was stopped before it was done.`) : fromThrown(error);
    }
  };

  return {
    kind: "builtin",
    manner: { ...IN_PROCESS, opensPlaces: true },
    name: "builtin",
    status: CONNECTED,
    // If agents run, their tools come from a source of their own.
    list: async () => (host.agents === null ? BUILTIN_TOOLS : BUILTIN_TOOLS.filter((tool) => !isAgentTool(tool))),
    run: (tool, args, context) => {
      if (closing.signal.aborted) return Promise.resolve(fail("The session is closed."));
      const signal = AbortSignal.any([context.signal, closing.signal]);
      const call: Promise<BuiltinResult> = runTool(tool.name, args, { ...context, signal }).finally(() =>
        running.delete(call),
      );
      running.add(call);
      return call;
    },
    async foresee({ name }, args, context) {
      const called = BUILTINS.find(({ tool }) => tool.name === name);
      const family = called === undefined || closing.signal.aborted ? null : await load(called);
      return (await family?.foresights?.get(name)?.(args, context, host)) ?? null;
    },
    changes: () => () => {},
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      const families = await Promise.allSettled(loaded.values());
      await Promise.all(families.map((family) => (family.status === "fulfilled" ? family.value.close() : null)));
    },
  };
}
