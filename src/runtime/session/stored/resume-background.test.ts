import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import { createScriptedModel, type ScriptedReply } from "../../models/scripted-model.ts";
import { createStore } from "../../store/create-store.ts";
import { openSqlite } from "../../store/sqlite/open-sqlite.ts";
import { createSessionIn, resumeSessionIn } from "../create-session.ts";

const LONG = 3_600_000;
const START = { agent: "worker", prompt: "work", description: "d", mode: "background" };

/** A session whose process ends while an agent works in the background and its own is idle. */
async function cutInBackground(worker: readonly ScriptedReply[]) {
  const path = join(tempWorkspace().base, "sessions.db");
  const open = async (takeOver: number) => {
    const store = createStore(await openSqlite(path), { lease: { beat: LONG, lost: LONG, takeOver } });
    onTestFinished(() => store.close());
    return store;
  };
  let isHanging: () => void = () => {};
  const hanging = new Promise<void>((resolve) => {
    isHanging = resolve;
  });
  const hang = defineTool("hang", {
    description: "Never ends",
    handler: () => {
      isHanging();
      return new Promise<never>(() => {});
    },
  });
  const given = {
    workspace: null,
    builtins: ["agents"],
    tools: [hang],
    customAgents: [{ name: "worker", description: "works", prompt: "You work.", tools: ["hang"] }],
    permissions: { allow: ["hang", "task", "read_agent"] },
  } as const;
  const first = await createSessionIn(ownSurroundings(), {
    ...given,
    sessionId: "one",
    store: await open(LONG),
    modelClient: createScriptedModel({
      replies: [{ calls: [{ tool: "task", arguments: START }] }, { text: "It works." }],
      agents: { worker },
    }),
  });
  await first.run("start one");
  await hanging;
  await first.stored();
  const resume = async (replies: readonly ScriptedReply[], continues: boolean) => {
    const modelClient = createScriptedModel({ replies });
    const resumed = { ...given, modelClient, continue: continues, store: await open(0) };
    const session = await resumeSessionIn(ownSurroundings(), "one", resumed);
    onTestFinished(() => session.close());
    return session;
  };
  return { first, resume };
}

test("a background agent that a crash cut starts a run of the idle parent when it is resumed (B4, S12)", async () => {
  const { resume } = await cutInBackground([{ calls: [{ tool: "hang" }] }]);
  const session = await resume(
    [{ calls: [{ tool: "read_agent", arguments: { id: "worker-1" } }] }, { text: "I see that it was cut." }],
    true,
  );
  await new Promise<void>((resolve) => session.on("session.idle", () => resolve()));
  const history = await session.history();
  expect(history.slice(-4).map((one) => (one.role === "user" ? one.by : one.role))).toEqual([
    ...["notification", "assistant", "answers", "assistant"],
  ]);
  expect(JSON.stringify(history.at(-2))).toContain("interrupted: the process in which it worked ended");
});

test("without continue the model is asked nothing, and hears of it with the next message, once, however often it was resumed", async () => {
  const { resume } = await cutInBackground([{ calls: [{ tool: "hang" }] }]);
  const quiet = await resume([], false);
  await quiet.stored();
  expect(await quiet.history()).toHaveLength(4);
  const session = await resume([{ text: "Go on then." }, { text: "Again." }], false);
  await session.run("and now?");
  await session.run("and now?");
  const notices = (await session.history()).filter((one) => one.role === "user" && one.by === "notification");
  expect(notices).toHaveLength(1);
  expect(JSON.stringify(notices)).toContain("The process in which it worked ended.");
});
