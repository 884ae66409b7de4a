import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { letTimePass, shortly } from "../../../../test/support/poll.ts";
import { smallDisk } from "../../../../test/support/small-disk.ts";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import type { SessionEvent, StoredEvent } from "../../../core/events/envelope.ts";
import type { ExternalRequest } from "../../../core/events/event-types.ts";
import { foldJournal } from "../../../core/events/fold-journal.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createDeferred } from "../../../system/time/deferred.ts";
import { createScriptedModel } from "../../models/scripted-model.ts";
import { createStore } from "../../store/create-store.ts";
import { openSqlite } from "../../store/sqlite/open-sqlite.ts";
import { createSession, resumeSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";
import { deleteSession, listSessions } from "./stored-sessions.ts";

/** Everything that a session has of its own: a store, and tools of a program. */
async function prepare(options: SessionOptions = {}) {
  const path = join(tempWorkspace().base, "sessions.db");
  const open = async (lease = { beat: 3_000, lost: 7_000, takeOver: 10_000 }) => {
    const store = createStore(await openSqlite(path), { lease });
    onTestFinished(() => store.close());
    return store;
  };
  const store = await open();
  const given = { workspace: null, tools: [add, write], ...options, store };
  const start = async (more: SessionOptions = {}) => {
    const session = await createSession({ ...given, sessionId: "one", ...more });
    onTestFinished(() => session.close());
    return session;
  };
  const resume = async (more: SessionOptions = {}) => {
    const session = await resumeSession("one", { ...given, ...more, store });
    onTestFinished(() => session.close());
    return session;
  };
  return { path, store, open, start, resume };
}

const add = defineTool("add", {
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  skipPermission: true,
  handler: ({ a, b }) => String(a + b),
});
const write = defineTool("write", { description: "Writes", handler: () => "written" });

const typesOf = (events: readonly StoredEvent[]) => events.map(({ type }) => type);

describe("what happens in a stored session", () => {
  test("is stored before a tool, a listener or the person who is asked can know of it (S2)", async () => {
    const looks: Promise<void>[] = [];
    const seen: string[] = [];
    const { store, start } = await prepare({
      tools: [
        defineTool("look", {
          description: "Looks into the store",
          handler: async (_, { toolCallId }) => {
            const events = await store.read("one");
            expect(events.at(-1)).toMatchObject({ type: "tool.running", data: { toolCallId } });
            return "stored";
          },
        }),
      ],
      permissions: { hostTools: "ask" },
      onPermissionRequest: async () => {
        expect(await store.questions()).toMatchObject([{ sessionId: "one", kind: "permission" }]);
        return { decision: "allow" };
      },
    });
    const session = await start();
    session.on("*", (event) => {
      if (event.ephemeral) return;
      seen.push(event.type);
      looks.push(store.read("one").then((all) => expect(all.map(({ id }) => id)).toContain(event.id)));
    });
    expect(await session.call("look")).toMatchObject({ textResultForLlm: "stored" });
    expect((await store.read("one")).at(-1)).toMatchObject({ type: "tool.execution_complete" });
    await Promise.all(looks);
    expect(seen).toContain("tool.running");
    expect(await store.questions()).toEqual([]);
  });

  test("is stored together where nobody outside knows of it in between, in a long session as in a short one (S2)", async () => {
    const { store, start } = await prepare();
    let appends = 0;
    const create: typeof store.create = async (owner) => {
      const journal = await store.create(owner);
      const append: typeof journal.append = (...given) => {
        appends += 1;
        return journal.append(...given);
      };
      return { ...journal, append };
    };
    const call = { calls: [{ tool: "ask", arguments: {} }] };
    const script = { replies: Array.from({ length: 42 }, (_, at) => (at % 14 === 13 ? { text: "Done." } : call)) };
    const session = await start({
      ...{ store: { ...store, create }, tools: [{ name: "ask", description: "Asks", skipPermission: true }] },
      modelClient: createScriptedModel(script),
    });
    session.on("external_tool.requested", ({ requestId }) => session.answer(requestId, "hi"));
    const costs: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const before = appends;
      await session.run("Go");
      costs.push(appends - before);
    }
    // That it runs, whom it asks, what came of it: each before somebody else can know.
    expect(Math.max(...costs)).toBeLessThanOrEqual(3 * 13 + 4);
  });

  test("replays to what it lived (S1)", async () => {
    const { store, start } = await prepare({ modelClient: addingModel() });
    const heard: SessionEvent[] = [];
    const session = await start();
    session.on("*", (event) => heard.push(event));
    await session.run("What is 2 + 3?");
    await session.updateOptions({ mode: "plan", excludedTools: ["write"] });
    await session.close();
    const stored = await store.read("one");
    expect(stored[0]).toMatchObject({ type: "session.started", seq: 1, parent: null });
    expect(foldJournal(stored)).toEqual(
      foldJournal(
        heard.filter(({ ephemeral }) => !ephemeral),
        foldJournal(stored.slice(0, 1)),
      ),
    );
    expect(foldJournal(stored).options).toEqual({ mode: "plan", excludedTools: ["write"] });
  });

  test("is not lost where the store is full: calls do not run until there is room again (S11)", async () => {
    const { path, start } = await prepare();
    const disk = smallDisk(1_000_000);
    const limited = await openSqlite(path, { open: disk.open });
    let ran = 0;
    const big = defineTool("big", {
      description: "Takes room",
      parameters: z.object({ text: z.string() }),
      skipPermission: true,
      handler: () => {
        ran += 1;
        return "done";
      },
    });
    const store = createStore(limited);
    onTestFinished(() => store.close());
    const session = await start({ store, tools: [big] });
    expect(await session.call("big", { text: "x" })).toMatchObject({ resultType: "success" });
    disk.resize(1);
    const text = "x".repeat(60_000);
    const refused = session.call("big", { text }, { id: "refused" });
    await expect(refused).rejects.toMatchObject({ code: "store.unavailable" });
    expect(ran).toBe(1);
    disk.resize(1_000_000);
    expect(await session.call("big", { text })).toMatchObject({ resultType: "success" });
    const ends = (await store.read("one")).filter(({ type }) => type === "tool.execution_complete");
    expect(ends.map(({ data }) => (data as { resultType: string }).resultType)).toEqual([
      "success",
      "failure",
      "success",
    ]);
  });

  test("is told to anyone who answers a call outside once its question is stored, in one commit with its start (S2, S11)", async () => {
    const { path, start } = await prepare();
    const disk = smallDisk(1_000_000);
    const backEnd = await openSqlite(path, { open: disk.open });
    const batches: string[][] = [];
    const append: typeof backEnd.append = (batch) => {
      batches.push(batch.rows.map(({ type }) => type));
      return backEnd.append(batch);
    };
    const store = createStore({ ...backEnd, append });
    onTestFinished(() => store.close());
    const session = await start({
      store,
      tools: [{ name: "ask", description: "Asks", parameters: { type: "object" }, skipPermission: true }],
    });
    const asked: ExternalRequest[] = [];
    session.on("external_tool.requested", (request) => void asked.push(request));
    const running: unknown[] = [];
    session.on("tool.running", (call) => void running.push(call));
    const answer = (at: number) => session.answer(asked[at]?.requestId ?? "", "yes");
    const first = session.call("ask", {});
    await vi.waitFor(() => expect(asked).toHaveLength(1), 5_000);
    expect(answer(0)).toBe(true);
    expect(await first).toMatchObject({ resultType: "success" });
    const started = batches.find((types) => types.includes("external_tool.requested"));
    // That it runs is what the question says.
    expect(started).toEqual(expect.arrayContaining(["tool.execution_start", "external_tool.requested"]));
    expect(batches.flat()).not.toContain("tool.running");
    expect(running).toHaveLength(1);

    disk.resize(1);
    const before = batches.length;
    const second = session.call("ask", { text: "x".repeat(60_000) });
    await vi.waitFor(() => expect(batches.length).toBeGreaterThan(before + 2));
    expect(asked).toHaveLength(1);
    disk.resize(1_000_000);
    await vi.waitFor(() => expect(asked).toHaveLength(2), 5_000);
    expect(answer(1)).toBe(true);
    expect(await second).toMatchObject({ resultType: "success" });
  });
});

describe("a session that is resumed", () => {
  test("goes on with its options, history, loaded tools and approvals (S12)", async () => {
    const ask = { permissions: { hostTools: "ask" as const } };
    const { store, start, resume } = await prepare({ ...ask, toolSearch: "on" });
    const first = await start({
      mode: "accept-edits",
      systemPrompt: "Be brief.",
      modelClient: addingModel(),
      onPermissionRequest: () => ({ decision: "allow", scope: "session" }),
    });
    await first.call("tool_search", { query: "select:add,write" });
    const promotions = first.promotions;
    expect(promotions.names).toEqual(["add", "write"]);
    await first.run("What is 2 + 3?");
    await first.call("write");
    const said = await first.history();
    await first.close();

    const second = await resume({ modelClient: createScriptedModel({ replies: [{ text: "Still 5." }] }) });
    expect(second.id).toBe("one");
    expect(second.toolset.scene.mode.value).toBe("accept-edits");
    expect(second.promotions).toEqual(promotions);
    expect(await second.history()).toEqual(said);
    expect(await second.call("write")).toMatchObject({ resultType: "success" });
    expect(await second.run("Sure?")).toMatchObject({ text: "Still 5." });
    const events = await store.read("one");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    for (const [at, { parent }] of events.entries()) expect(parent).toBe(events[at - 1]?.id ?? null);
    expect(typesOf(events)).toContain("session.resumed");
  });

  test("has its active skills again, with what they restrict (S12)", async () => {
    const { project, write: put } = tempWorkspace();
    put("skills/careful/SKILL.md", "---\nname: careful\ndescription: Careful\nallowed-tools: add\n---\nBe careful.\n");
    const { start, resume } = await prepare({ skillDirectories: [join(project, "skills")] });
    const hidden = async (session: Session) => {
      await session.settled();
      return session.toolset.placements
        .filter(({ standing }) => standing === "hidden")
        .map(({ entry }) => entry.wireName);
    };
    const first = await start();
    expect(await hidden(first)).not.toContain("write");
    await first.call("skill", { skill: "careful", name: "careful" });
    expect(await hidden(first)).toContain("write");
    await first.close();
    const second = await resume();
    expect(await hidden(second)).toContain("write");
  });

  test("has its list of steps again (S1, S12)", async () => {
    const { start, resume } = await prepare({ builtins: ["todo"] });
    const first = await start();
    await first.call("todo", { items: [{ text: "Write it", status: "in_progress" }] });
    await first.close();
    const second = await resume();
    expect(await second.call("todo")).toMatchObject({ textResultForLlm: expect.stringContaining("[>] Write it") });
  });

  test("a subagent begins with no steps, and its own never become those of the session (A4)", async () => {
    const worker = { name: "worker", description: "works", prompt: "You work.", tools: ["todo"] };
    const { start, resume } = await prepare({ builtins: ["todo", "agents"], customAgents: [worker] });
    const first = await start();
    await first.call("todo", { items: [{ text: "Write it", status: "in_progress" }] });
    await first.close();

    const task = { agent: "worker", prompt: "Work.", description: "some work" };
    const own = { items: [{ text: "Its own", status: "pending" }] };
    const second = await resume({
      modelClient: createScriptedModel({
        replies: [{ calls: [{ tool: "task", arguments: task }] }, { text: "Done." }],
        agents: {
          worker: [
            { calls: [{ tool: "todo", arguments: {} }] },
            { calls: [{ tool: "todo", arguments: own }] },
            { text: "It works." },
          ],
        },
      }),
    });
    const seen: string[] = [];
    second.on("tool.execution_complete", ({ content }, { agent }) => {
      if (agent === "worker-1") seen.push(content);
    });
    expect(await second.run("Have it done.")).toMatchObject({ text: "Done." });
    expect(seen).toEqual([expect.not.stringContaining("Write it"), expect.stringContaining("Its own")]);
    const steps = { textResultForLlm: expect.stringMatching(/^(?!.*Its own).*\[>\] Write it/s) };
    expect(await second.call("todo")).toMatchObject(steps);
    await second.close();
    expect(await (await resume()).call("todo")).toMatchObject(steps);
  });

  test("closes what ran as interrupted, runs nothing again, and the one before stops (S3, S5)", async () => {
    let runs = 0;
    const never = createDeferred<string>();
    const hang = defineTool("hang", {
      description: "Hangs",
      skipPermission: true,
      handler: () => {
        runs += 1;
        return never.promise;
      },
    });
    const model = createScriptedModel({ replies: [{ text: "I try.", calls: [{ tool: "hang", arguments: {} }] }] });
    const { open, start } = await prepare({ tools: [hang] });
    const still = await open({ beat: 3_600_000, lost: 3_600_000, takeOver: 3_600_000 });
    const first = await start({ store: still, modelClient: model });
    const running = new Promise((resolve) => first.on("tool.running", resolve));
    const run = first.run("go");
    run.then(
      () => {},
      () => {},
    );
    await running;
    await letTimePass(30);
    const other = await open({ beat: 3_000, lost: 7_000, takeOver: 10 });
    const asked: unknown[] = [];
    const scripted = createScriptedModel({ replies: [{ text: "Sorry." }] });
    const next = {
      ...scripted,
      stream(...given: Parameters<typeof scripted.stream>) {
        asked.push(given[0].history);
        return scripted.stream(...given);
      },
    };
    const second = await resumeSession("one", { workspace: null, store: other, tools: [hang], modelClient: next });
    onTestFinished(() => second.close());
    const ends = async () => (await other.read("one")).filter(({ type }) => type === "tool.execution_complete");
    await second.call("unknown").catch(() => {});
    expect(await ends()).toMatchObject([{ data: { toolName: "hang", resultType: "failure" } }, {}]);
    expect(asked).toEqual([]);
    expect(await second.run("What happened?")).toMatchObject({ text: "Sorry." });
    expect(asked).toMatchObject([[{ role: "user" }, { role: "assistant" }, { role: "answers" }, { role: "user" }]]);
    expect(JSON.stringify(asked)).toContain("may or may not have taken effect");
    expect(runs).toBe(1);
    never.resolve("late");
    await expect(first.updateOptions({ mode: "plan" })).rejects.toMatchObject({
      code: expect.stringMatching(/fenced|closed/),
    });
    expect(typesOf(await other.read("one"))).not.toContain("session.options_changed");
  });

  test("is refused while another process has it, where it is not there, and where it is too new (S7)", async () => {
    const { store, start, resume } = await prepare();
    await expect(resume()).rejects.toMatchObject({ code: "store.unknown-session" });
    const session = await start();
    await session.call("add", { a: 1, b: 2 });
    await expect(resume()).rejects.toMatchObject({ code: "store.held" });
    await session.close();
    const journal = await store.hold("one");
    const [first] = await store.read("one");
    expect(first).toBeDefined();
    const later = { ...first, id: "x", seq: journal.end.seq + 1, type: "later.kind", critical: true } as StoredEvent;
    await journal.append([later]);
    await journal.release();
    await expect(resume()).rejects.toMatchObject({ code: "store.too-new" });
    expect(typesOf(await store.read("one")).at(-1)).toBe("later.kind");
  });
});

test("the first answer to a question counts, here or in another process (S4)", async () => {
  const { open, start } = await prepare({ permissions: { hostTools: "ask" } });
  const nobody = createDeferred<{ decision: "allow" }>();
  const session = await start({ onPermissionRequest: () => nobody.promise });
  const calling = session.call("write");
  const other = await open();
  let waiting = await other.questions();
  while (waiting.length === 0) {
    await shortly();
    waiting = await other.questions();
  }
  const [question] = waiting;
  expect(question).toMatchObject({ sessionId: "one", kind: "permission", asked: { toolName: "write" } });
  const by: unknown[] = [];
  session.on("permission.completed", (data) => by.push(data.by));
  expect(await other.answer(question?.id ?? "", { decision: "allow" }, "ada")).toBe("answered");
  expect(await calling).toMatchObject({ textResultForLlm: "written" });
  expect(by).toEqual(["ada"]);
  expect(await other.answer(question?.id ?? "", { decision: "deny" }, "bob")).toBe("already_answered");
});

test("a long result belongs to its session: read again after a restart, and deleted with it (S10)", async () => {
  const long = `${"x".repeat(70_000)} the end`;
  const big = defineTool("big", { description: "Says a lot", skipPermission: true, handler: () => long });
  const { store, start, resume } = await prepare({ tools: [big] });
  const first = await start();
  const said = await first.call("big");
  const id = /by the id "(\w+)"/.exec(said.textResultForLlm)?.[1] ?? "";
  await first.close();
  const second = await resume();
  await second.calls();
  const read = { id, offset: 69_995 };
  expect(await second.call("read_result", read)).toMatchObject({
    textResultForLlm: expect.stringContaining("the end"),
  });
  expect(await second.call("read_result", { id: "0".repeat(64) })).toMatchObject({ resultType: "failure" });
  await second.close();
  expect((await store.parts([id])).size).toBe(1);
  await store.delete("one");
  expect((await store.parts([id])).size).toBe(0);
});

test("stored sessions are listed and deleted", async () => {
  const { store, start } = await prepare();
  const session = await start();
  expect(await listSessions({ store })).toMatchObject([{ id: "one", machine: store.machine }]);
  await expect(deleteSession("one", { store })).rejects.toMatchObject({ code: "store.held" });
  await session.close();
  expect(await deleteSession("one", { store })).toBe(true);
  expect(await deleteSession("one", { store })).toBe(false);
  expect(await listSessions({ store })).toEqual([]);
});

test("a store that is only named is opened and closed with the session", async () => {
  const { path } = await prepare();
  const named = { store: `sqlite:${path}`, workspace: null, tools: [add] };
  const session = await createSession({ ...named, sessionId: "named" });
  await session.call("add", { a: 1, b: 2 });
  await session.close();
  expect(await listSessions({ store: named.store })).toMatchObject([{ id: "named", machine: null }]);
  await expect(createSession({ ...named, sessionId: "named" })).rejects.toMatchObject({ code: "store.exists" });
  await expect(createSession({ store: "ftp://x" })).rejects.toMatchObject({ code: "store.refused" });
});

function addingModel() {
  return createScriptedModel({
    replies: [{ text: "I add.", calls: [{ tool: "add", arguments: { a: 2, b: 3 } }] }, { text: "It is 5." }],
  });
}
