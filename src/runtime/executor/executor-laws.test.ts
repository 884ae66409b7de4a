import fc from "fast-check";
import { expect, test } from "vitest";
import { ALLOWED, anExecutor, neverAgain } from "../../../test/support/executor-harness.ts";
import type { ExecutorPorts } from "./ports.ts";
import type { CallPart } from "./stream.ts";

const NAMES = ["reads", "writes", "careful"] as const;
const TOOLS = [
  { name: "reads", traits: { readOnly: true, idempotent: true } },
  { name: "writes", traits: {} },
  { name: "careful", traits: { readOnly: true } },
];
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
/** Mostly all is well, so that calls meet each other. */
const mostly = <const T extends string>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** What may go wrong with one call. */
const plan = fc.record({
  toolName: fc.constantFrom(...NAMES, ...NAMES, "missing"),
  key: fc.constantFrom("a", "b", null),
  run: mostly("ok", "throws", "hangs", "deaf", "never", "fails"),
  hook: mostly("silent", "throws", "rewrites", "breaks", "denies", "hangs"),
  post: mostly("silent", "throws"),
  permission: mostly("allow", "deny", "open", "throws"),
  turns: fc.nat(3),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

const world = fc.record({
  calls: fc.array(plan, { maxLength: 24 }),
  end: fc.constantFrom("confirmed", "refused", "cut", "breaks"),
  abortAfter: fc.option(fc.nat(30), { nil: null }),
  advance: fc.array(fc.nat(100_000), { maxLength: 20 }),
});

test("every complete call has exactly one result, in request order, and nothing runs unjudged or beside what it excludes", async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ calls, end, abortAfter, advance }) => {
      const running = new Map<string, { exclusive: boolean; key: string | null }>();
      const judged = new Set<string>();
      const ignoring = new Set<string>();
      // What an assertion throws inside a handler would be taken for a failing tool.
      const broken: string[] = [];
      const hold = (law: boolean, text: string) => void (law || broken.push(text));
      const planOf = (id: string): Plan => calls[Number(id.slice(1))] ?? (calls[0] as Plan); // Ids are made below.
      const ports: Partial<ExecutorPorts> = {
        hooks: {
          async pre({ call }, { signal }) {
            const { hook } = planOf(call.id);
            if (hook === "throws") throw new Error("hook");
            if (hook === "hangs") await untilAborted(signal);
            return {
              decision: hook === "denies" ? "deny" : null,
              reason: null,
              additionalContext: [],
              endTurn: false,
              ...(hook === "rewrites" ? { updatedInput: { id: call.id, rewritten: true } } : {}),
              ...(hook === "breaks" ? { updatedInput: "{" } : {}),
            };
          },
          async post({ call }) {
            if (planOf(call.id).post === "throws") throw new Error("post");
            return { additionalContext: [], endTurn: false };
          },
        },
        permissions: {
          revision: 1,
          again: neverAgain,
          async judge({ call, args }, { mayAsk }) {
            const { permission } = planOf(call.id);
            if (permission === "throws") throw new Error("permission");
            if (permission === "deny") return { kind: "denied", decision: ALLOWED.decision, resultType: "denied" };
            if (permission === "open" && !mayAsk) return { kind: "open", decision: ALLOWED.decision };
            judged.add(JSON.stringify(args));
            return ALLOWED;
          },
        },
        accessOf: ({ tool, call }) => {
          const { key } = planOf(call.id);
          return { exclusive: !tool.traits.readOnly, keys: key === null ? null : [key] };
        },
      };
      const harness = anExecutor(
        TOOLS,
        async (tool, args, { toolCallId, signal }) => {
          const { run, key, turns } = planOf(toolCallId);
          hold(judged.has(JSON.stringify(args)), `${toolCallId} ran unjudged`);
          const own = { exclusive: !tool.traits.readOnly, key };
          for (const other of running.values()) {
            const shares = own.key === null || other.key === null || own.key === other.key;
            hold(!(shares && (own.exclusive || other.exclusive)), `${toolCallId} ran beside what it excludes`);
          }
          running.set(toolCallId, own);
          // Ten that somebody waits for, and as many as twenty that nobody can stop.
          hold(running.size <= 30, "more ran at once than may");
          const stoppable = [...running.keys()].filter((id) => !ignoring.has(id));
          hold(stoppable.length <= 10, "more than ten ran at once");
          try {
            for (let turn = 0; turn < turns && !signal.aborted; turn += 1) await tick();
            if (run === "throws") throw new Error("handler");
            if (run === "fails") return { textResultForLlm: "no", resultType: "failure" };
            if (run === "hangs" || run === "deaf" || run === "never") await untilAborted(signal);
            if (run === "deaf" || run === "never") ignoring.add(toolCallId);
            // It lets go much later than it was told to, or not at all.
            if (run === "deaf") for (let turn = 0; turn < 5; turn += 1) await tick();
            if (run === "never") await new Promise(() => {});
            return { textResultForLlm: toolCallId, resultType: "success" };
          } finally {
            running.delete(toolCallId);
          }
        },
        ports,
      );
      const { executor, request, clock, of, events } = harness;
      const parts = async function* (): AsyncGenerator<CallPart> {
        for (const [at, { toolName }] of calls.entries()) {
          if (at % 3 === 0) await tick();
          yield { type: "call", call: { id: `c${at}`, toolName, arguments: { id: `c${at}` } } };
        }
        if (end === "breaks") throw new Error("stream");
        if (end !== "cut") yield { type: "stop", confirmed: end === "confirmed" };
      };
      const stop = new AbortController();
      const seen: string[] = [];
      let sent = 0;
      const reading = (async () => {
        for await (const { call, result, sendToModel } of executor.execute(request, parts(), { signal: stop.signal })) {
          seen.push(call.id);
          if (sendToModel) sent += 1;
          expect(typeof result.textResultForLlm).toBe("string");
          expect(sendToModel || result.cancelledBy !== undefined).toBe(true);
        }
      })().catch((error: unknown) => expect(String(error)).toContain("stream"));
      for (let turn = 0; turn < 60; turn += 1) {
        await tick();
        clock.advance(advance[turn] ?? 30_000);
        if (turn === abortAfter) stop.abort();
      }
      stop.abort();
      clock.advance(2_000);
      await reading;
      expect(broken).toEqual([]);
      // An early abort stops the reading of the stream; what arrived before it is all there, in order.
      expect(seen).toEqual(calls.slice(0, seen.length).map((_, at) => `c${at}`));
      if (abortAfter === null || abortAfter > 20) expect(seen).toHaveLength(calls.length);
      if (end !== "confirmed") expect(sent).toBe(0);
      const completed = of("tool.execution_complete").map(({ toolCallId }) => toolCallId);
      expect([...completed].sort()).toEqual([...seen].sort());
      for (let turn = 0; turn < 10; turn += 1) await tick();
      const left = executor.states.map(({ kind, call }) => [kind, planOf(call.id).run]);
      expect(left.filter(([kind, run]) => kind !== "lingering" || run !== "never")).toEqual([]);
      const warned = events.filter(({ name }) => (name as string) === "session.warning");
      expect(warned.length).toBeGreaterThanOrEqual(left.length);
    }),
    { numRuns: 120 },
  );
});
