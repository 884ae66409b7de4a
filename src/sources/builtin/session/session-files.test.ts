import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { createScriptedModel } from "../../../runtime/models/scripted-model.ts";
import { createSession, resumeSession } from "../../../runtime/session/library.ts";
import { deleteSession, forkSession } from "../../../runtime/session/stored/stored-sessions.ts";
import { openStoreAt } from "../../../runtime/store/open-store.ts";

const GIVEN = { builtins: ["plan", "files"], workspace: null } as const;

async function stored() {
  const { base } = tempWorkspace();
  const store = await openStoreAt(`sqlite:${join(base, "sessions.db")}`, { home: base, env: {}, workspace: base });
  onTestFinished(() => store.close());
  return store;
}

type Calling = Pick<Awaited<ReturnType<typeof createSession>>, "call">;
const say = async (session: Calling, tool: string, args: Record<string, unknown>) => {
  const { textResultForLlm, resultType } = await session.call(tool, args);
  return resultType === "success" ? textResultForLlm : `${resultType}: ${textResultForLlm}`;
};

test("plan and session_files are there where the session is stored, and hidden with the reason elsewhere", async () => {
  const session = await createSession({ ...GIVEN });
  const reasons = session.toolset.placements
    .filter(({ entry }) => ["plan", "session_files"].includes(entry.wireName))
    .map(({ standing, trace }) => [standing, ...trace.map(({ reason }) => reason.text)]);
  const hidden = ["hidden", "the session is not stored"];
  expect(reasons).toEqual([hidden, hidden]);
  await session.close();
});

test("a plan that a person approves becomes the plan of the session, and one that is rejected does not", async () => {
  const store = await stored();
  let approved = false;
  const options = { builtins: ["plan", "exit_plan_mode"], workspace: null, permissions: { mode: "plan" } } as const;
  const approvePlan = async () => ({ approved, feedback: null });
  const session = await createSession({ ...options, approvePlan, store, sessionId: "planned" });
  await session.call("plan", { content: "First thoughts" });
  await session.call("exit_plan_mode", { plan: "1. Write" });
  expect(await say(session, "plan", {})).toBe("First thoughts");
  approved = true;
  expect(await say(session, "exit_plan_mode", { plan: "1. Look\n2. Write" })).toMatch(/^The plan is approved/);
  expect(await say(session, "plan", {})).toBe("1. Look\n2. Write");
  await session.close();
});

test("a plan and files are resumed with their session, copied with it, and gone with it", async () => {
  const store = await stored();
  const first = await createSession({ ...GIVEN, store, sessionId: "one" });
  expect(await say(first, "plan", {})).toBe("There is no plan yet.");
  expect(await say(first, "plan", { content: "# Plan\n\n1. Read" })).toBe("The plan is kept.");
  expect(await say(first, "session_files", { action: "list" })).toBe("There are no files yet.");
  const long = "ä".repeat(70_000);
  for (const [path, content] of [
    ["notes/a.md", "A"],
    ["long.txt", long],
    ["gone.md", "x"],
  ])
    expect(await say(first, "session_files", { action: "write", path, content })).toBe(`${path} is kept.`);
  expect(await say(first, "session_files", { action: "delete", path: "gone.md" })).toBe("gone.md is gone.");
  await first.close();
  await forkSession("one", { store, sessionId: "two" });
  await deleteSession("one", { store });
  await expect(resumeSession("one", { ...GIVEN, store })).rejects.toThrow();
  const copy = await resumeSession("two", { ...GIVEN, store });
  expect(await say(copy, "plan", {})).toBe("# Plan\n\n1. Read");
  expect(await say(copy, "session_files", { action: "list" })).toBe("long.txt (140000 bytes)\nnotes/a.md (1 bytes)");
  expect(await say(copy, "session_files", { action: "read", path: "./notes/a.md" })).toBe("A");
  expect(await say(copy, "session_files", { action: "read", path: "notes/b.md" })).toBe(
    "failure: There is no file notes/b.md. Did you mean notes/a.md?",
  );
  expect(await say(copy, "plan", { content: " " })).toBe("The plan is gone.");
  expect(await say(copy, "plan", {})).toBe("There is no plan yet.");
  await copy.close();
});

test("an agent below writes into the same files, also while planning", async () => {
  const store = await stored();
  const write = { action: "write", path: "found.md", content: "Two bugs" };
  const session = await createSession({
    ...GIVEN,
    store,
    mode: "plan",
    builtins: ["plan", "files", "agents"],
    customAgents: [{ name: "finder", description: "Finds", tools: ["session_files"] }],
    modelClient: createScriptedModel({
      replies: [
        {
          calls: [{ tool: "task", arguments: { agent: "finder", prompt: "Find", description: "Find", mode: "wait" } }],
        },
        { calls: [{ tool: "session_files", arguments: { action: "read", path: "found.md" } }] },
        { text: "Done." },
      ],
      agents: { finder: [{ calls: [{ tool: "session_files", arguments: write }] }, { text: "Found." }] },
    }),
  });
  const run = session.run("Look");
  const answers: string[] = [];
  for await (const event of run)
    if (event.type === "tool.execution_complete" && event.data.toolName === "session_files")
      answers.push(event.data.content);
  expect([answers, (await run).text]).toEqual([["found.md is kept.", "Two bugs"], "Done."]);
  await session.close();
});

test("files have bounds, and what does not fit changes nothing", async () => {
  const session = await createSession({ ...GIVEN, store: await stored() });
  const write = (path: string, content: string) => say(session, "session_files", { action: "write", path, content });
  expect(await write("a", "x".repeat(256 * 1024 + 1))).toMatch(/^failure: A file has at most 262144 characters/);
  for (const name of ["a", "b", "c", "d"]) expect(await write(name, "x".repeat(256 * 1024))).toBe(`${name} is kept.`);
  expect(await write("e", "x")).toMatch(/^failure: Nothing was changed: the files of a session have at most 1 MB/);
  expect(await write("d", "small")).toBe("d is kept.");
  for (let at = 4; at < 100; at += 1) await write(`f${at}`, "");
  expect(await write("more", "")).toMatch(/^failure: Nothing was changed: a session keeps at most 100 files/);
  await session.close();
});

test("law: no path leads out of a session's own files", async () => {
  const session = await createSession({ ...GIVEN, store: await stored() });
  await say(session, "plan", { content: "secret" });
  const piece = fc.constantFrom("..", ".", "/", "\\", "a", "plan.md", "files", "\0", "~", " ", "C:", "%2e");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
      const path = pieces.join("");
      const wrote = await say(session, "session_files", { action: "write", path, content: "other" });
      if (!wrote.startsWith("failure: "))
        expect(path.split("/").some((name, at) => name === ".." || (name === "." && at > 0))).toBe(false);
      expect(await say(session, "plan", {})).toBe("secret");
    }),
    { numRuns: 40 },
  );
  await session.close();
});
