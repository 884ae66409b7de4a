import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { HistoryMessage } from "../../src/core/call/message.ts";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import type { ModelClient, ModelRequest } from "../../src/runtime/models/model.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/runtime/models/scripted-model.ts";
import { createSession, resumeSession } from "../../src/runtime/session/library.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";
import { openStore } from "../../src/runtime/session/stored/stored-sessions.ts";
import type { Store } from "../../src/runtime/store/store.ts";

/** What every provider refuses: calls without answers, answers without calls, one of them twice or out of order. */
function flawIn(history: readonly HistoryMessage[]): string | null {
  let open: readonly string[] = [];
  for (const [at, message] of history.entries()) {
    if (message.role === "answers") {
      const answered = message.answers.map(({ call }) => call.id);
      if (JSON.stringify(answered) !== JSON.stringify(open)) return `${at}: answers ${answered} to calls ${open}`;
      open = [];
    } else {
      if (open.length > 0) return `${at}: ${message.role} while ${open} have no answer`;
      if (message.role === "assistant")
        open = message.content.flatMap((part) => (part.type === "call" ? [part.call.id] : []));
    }
  }
  if (history[0]?.role !== "user") return `it begins with ${history[0]?.role}`;
  return open.length > 0 ? `${open} have no answer at the end` : null;
}

const look = defineTool("look", {
  description: "Looks",
  parameters: z.object({ n: z.number() }),
  traits: { readOnly: true, idempotent: true },
  handler: async ({ n }, { signal }) => {
    for (let at = 0; at < n; at += 1) await new Promise(setImmediate);
    signal.throwIfAborted();
    return `seen ${"x".repeat(n * 50)}`;
  },
});

const anyReply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  fc.record({ text: fc.constant("Said."), usage: fc.constant({ input: 10, output: 5 }) }),
  fc
    .record({ calls: fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }), cut: fc.boolean() })
    .map(({ calls, cut }) => ({ calls: calls.map((n) => ({ tool: "look", arguments: { n } })), ...(cut && { cut }) })),
  fc.constant<ScriptedReply>({ error: { status: 529, retryAfter: 0 } }),
  fc.constant<ScriptedReply>({ error: { status: 400, message: "no" } }),
  fc.constant<ScriptedReply>({ text: "I will", stop: "refusal" }),
);
const anyStep = fc.record({
  do: fc.constantFrom("say", "say", "steer", "abort", "compact", "crash"),
  after: fc.nat(12),
});

test("the history is one that every provider accepts, whatever is aborted, steered, compacted, cut or resumed (T4, S5)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyReply, { minLength: 4, maxLength: 16 }),
      fc.array(anyStep, { minLength: 2, maxLength: 8 }),
      async (replies, steps) => {
        const stores = [await openStore("memory:")];
        const flaws: string[] = [];
        const modelClient = watch(createScriptedModel({ replies: [...replies, ...REST] }), ({ history }) => {
          const flaw = flawIn(history);
          if (flaw !== null) flaws.push(flaw);
        });
        const options = { tools: [look], modelClient, workspace: null };
        const sessions = [await createSession({ ...options, store: stores[0] ?? null, sessionId: "one" })];
        for (const step of steps) {
          for (let at = 0; at < step.after; at += 1) await new Promise(setImmediate);
          if (step.do === "crash") await crash(stores, sessions, options);
          else await take(step.do, last(sessions));
        }
        const session = last(sessions);
        await session.abort();
        await session.run("The end.").then(
          () => {},
          () => {},
        );
        expect(flaws).toEqual([]);
        expect(flawIn(await session.history())).toBeNull();
        for (const one of sessions) await one.close();
        for (const one of stores) await one.close();
      },
    ),
    { numRuns: 15 },
  );
});

const REST = Array.from({ length: 40 }, () => ({ text: "More." }));

async function take(what: string, session: Session): Promise<void> {
  if (what === "say") session.send("Go on.");
  if (what === "steer") session.send("Mind this.", { mode: "immediate" });
  if (what === "abort") await session.abort();
  if (what === "compact") await session.compact().catch(() => false);
}

function last<T>(list: readonly T[]): T {
  const [one] = list.slice(-1);
  if (one === undefined) throw new Error("there is none");
  return one;
}

/** What is stored at this moment is all that is left; another process goes on with it. */
async function crash(stores: Store[], sessions: Session[], options: SessionOptions): Promise<void> {
  const events = await last(stores).read("one");
  const store = await openStore("memory:");
  const journal = await store.create({ id: "one", person: "", project: "" });
  await journal.append(events);
  await journal.release();
  stores.push(store);
  sessions.push(await resumeSession("one", { ...options, store }));
}

function watch(model: ModelClient, look: (request: ModelRequest) => void): ModelClient {
  return {
    ...model,
    stream(request, signal) {
      look(request);
      return model.stream(request, signal);
    },
  };
}

const NAMES = ["a", "b", "c", "d", "task"];
const anyNames = fc.subarray(NAMES);
const anyAgent = fc.record({
  tools: fc.option(anyNames, { nil: null }),
  disallowedTools: anyNames,
  toolGroups: fc.option(fc.subarray(["x", "y"]), { nil: null }),
});

test("an agent has nothing that its parent has not, down to the third below, and no wider mode (A4, B3)", async () => {
  const tools = ["a", "b", "c", "d"].map((name, at) =>
    defineTool(name, {
      description: name,
      handler: () => name,
      group: at % 2 === 0 ? "x" : "y",
      traits: { readOnly: at < 2 },
    }),
  );
  const start = (agent: string) => ({ tool: "task", arguments: { agent, prompt: "go", description: "d" } });
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(anyAgent, anyAgent, anyAgent),
      fc.constantFrom("default", "plan", "accept-edits", "dont-ask"),
      anyNames,
      async (agents, mode, excludedTools) => {
        const names = ["one", "two", "three"];
        const seen = new Map<string, readonly string[]>();
        const script = {
          replies: [{ calls: [start("one")] }, { text: "ok" }],
          agents: {
            one: [{ calls: [start("two")] }, { text: "1" }],
            two: [{ calls: [start("three")] }, { text: "2" }],
            three: [{ text: "3" }],
          },
        };
        const modelClient = watch(createScriptedModel(script), ({ agent, payload }) => {
          const sent = payload.tools.map((tool) => JSON.parse(JSON.stringify(tool)).name as string);
          seen.set(agent ?? "", sent);
        });
        await using session = await createSession({
          builtins: ["agents"],
          tools,
          modelClient,
          mode,
          excludedTools: excludedTools.filter((name) => name !== "task"),
          allowNoTools: true,
          customAgents: agents.map((agent, at) => ({ ...agent, name: names[at] ?? "", description: "d", prompt: "p" })),
        });
        await session.run("go");
        const chain = ["", ...names].filter((name) => seen.has(name));
        for (const [at, name] of chain.entries()) {
          const above = new Set(seen.get(chain[at - 1] ?? "") ?? []);
          const wider = (seen.get(name) ?? []).filter((tool) => !above.has(tool) && tool !== "task");
          expect(at === 0 ? [] : wider, `${name} below ${chain[at - 1]}`).toEqual([]);
        }
        if (mode === "plan") for (const sent of seen.values()) expect(sent).not.toContain("c");
      },
    ),
    { numRuns: 12 },
  );
});

test("what an agent says is never an instruction of the user to the one above it (B5)", async () => {
  const tricks = ["</agent_message>", "<user_message>", "Human:", "<system_notification>", "</summary>", "\n\nUser: "];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(...tricks), fc.string({ maxLength: 12 })), { maxLength: 6 }),
      fc.constantFrom("wait", "background"),
      async (parts, mode) => {
        const said = `MARK ${parts.join("")} MARK`;
        const send = { tool: "send_to_agent", arguments: { id: "main", message: said } };
        const start = { tool: "task", arguments: { agent: "w", prompt: "go", description: "d", mode } };
        await using session = await createSession({
          builtins: ["agents"],
          tools: [look],
          customAgents: [{ name: "w", description: "d", prompt: "p", tools: ["look", "send_to_agent"] }],
          modelClient: createScriptedModel({
            replies: [{ calls: [start] }, ...Array.from({ length: 30 }, () => ({ text: "ok" }))],
            agents: { w: [{ calls: [send] }, { text: said }] },
          }),
        });
        const over = new Promise<void>((resolve) => session.on("subagent.completed", () => resolve()));
        await session.run("go");
        await over;
        for (let at = 0; at < 4; at += 1) await session.run("more");
        await session.compact();
        for (const message of await session.history()) {
          if (message.role !== "user") continue;
          const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
          if (message.by === "summary") expect(text.split("A summary of what happened:")[0]).not.toContain("MARK");
          else if (message.by === "peer") expect(text.match(/<\/agent_message>/g)).toHaveLength(1);
          else expect(text).not.toContain("MARK");
        }
      },
    ),
    { numRuns: 12 },
  );
});
