import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { createSession } from "../library.ts";
import { listSessions, openStore } from "./stored-sessions.ts";

/** A store that holds a session, cut in half. */
async function cutStore() {
  const path = join(tempWorkspace().base, "sessions.db");
  const store = `sqlite:${path}`;
  const session = await createSession({ workspace: null, allowNoTools: true, store });
  await session.close();
  truncateSync(path, statSync(path).size / 2);
  return { path, store };
}

const told = (path: string) => ({
  level: "warning",
  code: "store.put-aside",
  text: expect.stringContaining(`the store at ${path} could not be read; it was put aside as ${path}`),
});

test("a session on a store that cannot be read says where that was put (S7)", async () => {
  const { path, store } = await cutStore();
  const session = await createSession({ workspace: null, allowNoTools: true, store });
  onTestFinished(() => session.close());
  expect(session.toolset.notices).toContainEqual(expect.objectContaining(told(path)));
});

test("so does every session on a store that a program opened", async () => {
  const { path, store: url } = await cutStore();
  const store = await openStore(url);
  onTestFinished(() => store.close());
  expect(store.notices).toEqual([expect.objectContaining(told(path))]);
  const session = await createSession({ workspace: null, allowNoTools: true, store });
  onTestFinished(() => session.close());
  expect(session.toolset.notices).toContainEqual(expect.objectContaining(told(path)));
});

test("anyone who lists sessions can hear of it", async () => {
  const { path, store } = await cutStore();
  const notices: Notice[] = [];
  expect(await listSessions({ store, onNotice: (notice) => notices.push(notice) })).toEqual([]);
  expect(notices).toEqual([expect.objectContaining(told(path))]);
});
