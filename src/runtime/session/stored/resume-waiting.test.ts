import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import type { EventName } from "../../../core/events/event-types.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import type { ModelClient } from "../../models/model.ts";
import { createScriptedModel, type Script } from "../../models/scripted-model.ts";
import { createStore } from "../../store/create-store.ts";
import { openSqlite } from "../../store/sqlite/open-sqlite.ts";
import type { Store } from "../../store/store.ts";
import { createSession, resumeSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { ResumeOptions, Session } from "../public-session.ts";
import { forkSession } from "./stored-sessions.ts";

const NEVER = new Promise<never>(() => {});
const LONG = 3_600_000;

/** A session whose process ends in the middle of everything, and others that take it over. */
async function prepare(options: SessionOptions = {}, { isDeaf = false } = {}) {
  const path = join(tempWorkspace().base, "sessions.db");
  const ran: string[] = [];
  const write = defineTool("write", {
    description: "Writes",
    handler: (_, { toolCallId }) => {
      ran.push(toolCallId);
      return "written";
    },
  });
  const open = async (takeOver: number) => {
    const store = createStore(await openSqlite(path), { lease: { beat: LONG, lost: LONG, takeOver } });
    onTestFinished(() => store.close());
    return store;
  };
  const given = { workspace: null, permissions: { hostTools: "ask" }, tools: [write], ...options } as const;
  const own = await open(LONG);
  const deaf: Store = { ...own, answerTo: () => NEVER };
  const first = await createSession({ ...given, sessionId: "one", store: isDeaf ? deaf : own });
  onTestFinished(() => first.close());
  let store = await open(0);
  return {
    ran,
    first,
    get store() {
      return store;
    },
    async resume(more: Partial<ResumeOptions> = {}) {
      store = await open(0);
      const session = await resumeSession("one", { ...given, ...more, store });
      onTestFinished(() => session.close());
      return session;
    },
  };
}

/** Starts something that is never waited for, and waits until it is known that somebody has to answer. */
async function askedBy(session: Session, event: EventName, work: () => Promise<unknown>): Promise<string> {
  const asked = new Promise<{ requestId: string }>((resolve) =>
    session.on(event, (data) => resolve(data as { requestId: string })),
  );
  work().catch(() => {});
  return (await asked).requestId;
}

const endOf = (session: Session, event: EventName = "tool.execution_complete") =>
  new Promise<Record<string, unknown>>((resolve) => session.on(event, (data) => resolve({ ...data })));

const calling = (tool: string, args: Record<string, unknown> = {}): Script => ({
  replies: [{ text: "I try.", calls: [{ tool, arguments: args }] }],
});

function remembering(script: Script): { readonly model: ModelClient; readonly asked: unknown[] } {
  const scripted = createScriptedModel(script);
  const asked: unknown[] = [];
  const stream: ModelClient["stream"] = (request, signal) => {
    asked.push(request.history);
    return scripted.stream(request, signal);
  };
  return { model: { ...scripted, stream }, asked };
}

describe("a call that waited for somebody when its process ended", () => {
  test("runs once, when it was answered meanwhile, and the model hears of it with the next message (S4, S5, S12)", async () => {
    const model = createScriptedModel(calling("write"));
    const world = await prepare({ modelClient: model, onPermissionRequest: () => NEVER }, { isDeaf: true });
    const { first, ran } = world;
    const question = await askedBy(first, "permission.requested", async () => first.run("Write it."));
    expect(await world.store.answer(question, { decision: "allow" }, "ada")).toBe("answered");
    const next = remembering({ replies: [{ text: "It is written." }] });
    const { asked } = next;
    const second = await world.resume({ modelClient: next.model });
    expect(await second.run("Well?")).toMatchObject({ text: "It is written." });
    expect(ran).toHaveLength(1);
    expect(asked).toMatchObject([[{ role: "user" }, {}, { role: "answers" }, { role: "user" }]]);
    expect(JSON.stringify(asked)).toContain('"textResultForLlm":"written"');
    const decided = (await world.store.read("one")).filter(({ type }) => type === "permission.completed");
    expect(decided).toMatchObject([{ data: { requestId: question, by: "ada" } }]);
  });

  test("goes on waiting for the same question, also where nobody is here to answer it (S4, S12)", async () => {
    const world = await prepare({ onPermissionRequest: () => NEVER });
    const question = await askedBy(world.first, "permission.requested", () => world.first.call("write"));
    const second = await world.resume({ onPermissionRequest: null });
    const ended = endOf(second);
    expect(await world.store.questions()).toMatchObject([{ id: question }]);
    expect(await world.store.answer(question, { decision: "allow" }, "ada")).toBe("answered");
    expect(await ended).toMatchObject({ toolName: "write", content: "written" });
    expect(world.ran).toHaveLength(1);
    expect(await world.store.answer(question, { decision: "deny" }, "bob")).toBe("already_answered");
  });

  test("is asked about again where the question would be another, and the answer to the first one counts for nothing (S4)", async () => {
    const changes: readonly Partial<ResumeOptions>[] = [
      { tools: [defineTool("write", { description: "Writes more", handler: () => "written" })] },
      { permissions: { hostTools: "ask", ask: ["write"] } },
      { hooks: { onPreToolUse: () => ({}) } },
    ];
    for (const change of changes) {
      const world = await prepare({ onPermissionRequest: () => NEVER }, { isDeaf: true });
      const question = await askedBy(world.first, "permission.requested", () => world.first.call("write"));
      expect(await world.store.answer(question, { decision: "allow" }, "ada")).toBe("answered");
      const second = await world.resume({
        ...change,
        onPermissionRequest: () => ({ decision: "deny", reason: "not this" }),
      });
      await expect.poll(async () => JSON.stringify(await world.store.read("one"))).toContain("not this");
      expect(world.ran).toEqual([]);
      await second.close();
    }
  });

  test("goes on waiting when somebody only looks at the history, and when the session is closed meanwhile (S4)", async () => {
    const world = await prepare({
      modelClient: createScriptedModel(calling("write")),
      onPermissionRequest: () => NEVER,
    });
    const question = await askedBy(world.first, "permission.requested", async () => world.first.run("Write it."));
    const second = await world.resume();
    expect(await second.history()).toHaveLength(2);
    expect(await world.store.questions()).toMatchObject([{ id: question }]);
    await second.close();
    expect(await world.store.questions()).toMatchObject([{ id: question }]);
    const third = await world.resume();
    const ended = endOf(third);
    await world.store.answer(question, { decision: "allow" }, "ada");
    expect(await ended).toMatchObject({ content: "written" });
    expect(world.ran).toHaveLength(1);
  });

  test("is given up by the next message, where nobody answered", async () => {
    const world = await prepare({
      modelClient: createScriptedModel(calling("write")),
      onPermissionRequest: () => NEVER,
    });
    await askedBy(world.first, "permission.requested", async () => world.first.run("Write it."));
    const { model, asked } = remembering({ replies: [{ text: "I will not." }] });
    const second = await world.resume({ modelClient: model });
    await second.run("Never mind.");
    expect(asked).toMatchObject([[{ role: "user" }, {}, { role: "answers" }, { role: "user" }]]);
    expect(world.ran).toEqual([]);
    expect(await world.store.questions()).toEqual([]);
  });
});

test("a session that continues makes the cut request again once its question is answered (S12)", async () => {
  const world = await prepare({ modelClient: createScriptedModel(calling("write")), onPermissionRequest: () => NEVER });
  const question = await askedBy(world.first, "permission.requested", async () => world.first.run("Write it."));
  const { model, asked } = remembering({ replies: [{ text: "It is written." }] });
  const second = await world.resume({ modelClient: model, continue: true });
  const idle = endOf(second, "session.idle");
  expect(asked).toEqual([]);
  await world.store.answer(question, { decision: "allow" }, "ada");
  expect(await idle).toEqual({ stopReason: "end" });
  expect(await second.continued).toMatchObject({ stopReason: "end", text: "It is written." });
  const types: string[] = [];
  for await (const { type } of second.continued ?? []) types.push(type);
  expect(types).toEqual(expect.arrayContaining(["tool.execution_complete", "assistant.message", "session.idle"]));
  expect(asked).toMatchObject([[{ role: "user" }, { role: "assistant" }, { role: "answers" }]]);
  expect((await second.history()).at(-1)).toMatchObject({ role: "assistant" });
  await second.close();
  const third = await world.resume({ modelClient: model, continue: true });
  expect(third.continued).toBeNull();
  expect(await third.history()).toHaveLength(4);
  expect(asked).toHaveLength(1);
});

describe("other questions are stored like those about permissions (S4)", () => {
  const answered = async (world: { readonly store: Store }, question: string, answer: unknown) => {
    expect(await world.store.questions()).toMatchObject([{ id: question, sessionId: "one" }]);
    expect(await world.store.answer(question, answer, "ada")).toBe("answered");
  };

  test("user input, before and after a restart", async () => {
    const world = await prepare({ builtins: ["ask_user"], onUserInputRequest: () => NEVER });
    const ask = { question: "Which colour?", choices: ["red", "blue"] };
    const early = await askedBy(world.first, "user_input.requested", () => world.first.call("ask_user", ask));
    const done = endOf(world.first);
    await answered(world, early, "red");
    expect(await done).toMatchObject({ content: "The user answered: red" });
    const late = await askedBy(world.first, "user_input.requested", () => world.first.call("ask_user", ask));
    while (late === early || (await world.store.questions()).length === 0) await new Promise(setImmediate);
    const [open] = await world.store.questions();
    const second = await world.resume();
    const again = endOf(second);
    await answered(world, open?.id ?? "", "blue");
    expect(await again).toMatchObject({ content: "The user answered: blue" });
  });

  test("plans", async () => {
    const world = await prepare({ builtins: ["exit_plan_mode"], mode: "plan", approvePlan: () => NEVER });
    const question = await askedBy(world.first, "plan.requested", () =>
      world.first.call("exit_plan_mode", { plan: "1. Write." }),
    );
    const second = await world.resume();
    const ended = endOf(second);
    await answered(world, question, { approved: true, feedback: "go" });
    expect(await ended).toMatchObject({ success: true });
    expect(second.toolset.scene.mode.value).toBe("default");
  });

  test("calls that are answered outside", async () => {
    const outside = { name: "deploy", description: "Deploys", parameters: { type: "object" }, skipPermission: true };
    const world = await prepare({ tools: [outside] });
    const question = await askedBy(world.first, "external_tool.requested", () => world.first.call("deploy"));
    const second = await world.resume();
    const ended = endOf(second);
    expect(second.answer("unknown", "x")).toBe(false);
    await answered(world, question, "deployed");
    expect(await ended).toMatchObject({ content: "deployed" });
    expect(await world.store.questions()).toEqual([]);
  });
});

describe("what was said", () => {
  const replies = ["One.", "Two.", "Three."].map((text) => ({ text }));

  test("can be taken back, and stays so after a restart (S1)", async () => {
    const world = await prepare({ modelClient: createScriptedModel({ replies }) });
    await world.first.run("first");
    await world.first.run("second");
    const said = (await world.store.read("one")).filter(({ type }) => type === "user.message");
    expect(await world.first.truncate(said[1]?.seq ?? 0)).toBe(2);
    expect(await world.first.history()).toHaveLength(2);
    expect(await world.first.truncate(100_000)).toBe(0);
    const second = await world.resume({ modelClient: createScriptedModel({ replies }) });
    expect(await second.history()).toHaveLength(2);
    const run = second.run("third");
    await expect(second.truncate(1)).rejects.toMatchObject({ code: "session.busy" });
    await run;
  });

  test("never leaves calls without answers behind", async () => {
    const world = await prepare({
      modelClient: createScriptedModel({ replies: [...calling("write").replies, { text: "Done." }] }),
      onPermissionRequest: () => ({ decision: "allow" }),
    });
    await world.first.run("Write it.");
    const answers = (await world.store.read("one")).find(({ type }) => type === "tool.answers");
    expect(await world.first.truncate(answers?.seq ?? 0)).toBe(3);
    expect(await world.first.history()).toMatchObject([{ role: "user" }]);
  });

  test("can be gone on with in another session, from any point (S1)", async () => {
    const world = await prepare({ modelClient: createScriptedModel({ replies }) });
    await world.first.run("first");
    const at = (await world.store.read("one")).length;
    await world.first.run("second");
    const id = await forkSession("one", { store: world.store, at, sessionId: "two" });
    const fork = await resumeSession(id, {
      workspace: null,
      store: world.store,
      modelClient: createScriptedModel({ replies }),
    });
    onTestFinished(() => fork.close());
    expect(await fork.history()).toHaveLength(2);
    await fork.run("another");
    expect(await fork.history()).toHaveLength(4);
    expect(await world.first.history()).toHaveLength(4);
    await expect(forkSession("none", { store: world.store })).rejects.toMatchObject({ code: "store.unknown-session" });
  });

  test("is read from a snapshot on, where there is one", async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ text: `Reply ${at}.` }));
    const world = await prepare({ modelClient: createScriptedModel({ replies: many }) });
    for (let at = 0; at < 25; at += 1) await world.first.run(`message ${at}`);
    await world.first.compact();
    const history = await world.first.history();
    await world.first.close();
    const read: (number | undefined)[] = [];
    const spied: Store = {
      ...world.store,
      read: (id, range) => {
        read.push(range?.after);
        return world.store.read(id, range);
      },
    };
    const second = await resumeSession("one", { workspace: null, store: spied });
    onTestFinished(() => second.close());
    expect(read[0]).toBeGreaterThan(50);
    expect(await second.history()).toEqual(history);
  });
});
