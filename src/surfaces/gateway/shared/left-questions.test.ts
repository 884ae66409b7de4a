import { expect, onTestFinished, test } from "vitest";
import { createApprovals } from "../../../runtime/crib/approvals.ts";
import { createSharedApprovals } from "../../../runtime/crib/shared-approvals.ts";
import { createStore } from "../../../runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../../runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../../runtime/store/memory-tables.ts";
import { closeLeftQuestions } from "./left-questions.ts";
import { createSharedQuestions } from "./shared-questions.ts";

const HOUR = 3_600_000;

test("what a machine asked that ended abruptly is closed by any other, once nobody can come back for it (M2)", async () => {
  const tables = createMemoryTables();
  const start = async () => {
    const store = createStore(createMemoryBackEnd(tables));
    store.join();
    await expect.poll(async () => (await store.machines()).some(({ id }) => id === store.machine)).toBe(true);
    const approvals = createSharedApprovals(createApprovals(), { store, scope: "test" });
    const questions = createSharedQuestions(store, "test");
    await questions.open("client", store.machine, "elicitation/create");
    const request = { kind: "tool", toolName: "edit", toolArgs: {} } as unknown as Parameters<typeof approvals.ask>[0];
    const { signal } = new AbortController();
    void approvals.ask(request, { client: "client" }, signal, { id: `approval ${store.machine}` }).catch(() => {});
    await expect.poll(() => approvals.pending.length).toBeGreaterThan(0);
    return store;
  };
  const [ended, living, own] = [await start(), await start(), await start()];
  onTestFinished(async () => void (await Promise.all([living, own].map((store) => store.close()))));
  await ended.close();

  const open = async () => (await own.questions()).map(({ id }) => id);
  const close = async (window: number, unclaimed = HOUR) => {
    for (const what of ["questions", "approvals"])
      await closeLeftQuestions(own, `gateway:test:${what}`, { window, unclaimed });
  };
  await close(HOUR);
  expect(await open()).toHaveLength(6);
  await close(0);
  const left = [living, own].flatMap(({ machine }) => [`client/${machine}`, `approval ${machine}`]);
  expect([...(await open())].sort()).toEqual(left.sort());

  // As versions before this one asked.
  await own.ask("gateway:test:questions", { asked: [{ id: "old", kind: "elicitation", asked: { method: "x" } }] });
  await close(0);
  expect(await open()).toContain("old");
  await close(0, 0);
  expect(await open()).not.toContain("old");
});
