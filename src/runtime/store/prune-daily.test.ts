import { expect, onTestFinished, test } from "vitest";
import { createStore } from "./create-store.ts";
import { createMemoryBackEnd } from "./memory-back-end.ts";
import { createMemoryTables } from "./memory-tables.ts";
import { pruneDaily } from "./prune-daily.ts";

const DAY = 86_400_000;

/** Stores of several processes, with sessions that nobody has changed for a year. */
async function prepare(ids: readonly string[]) {
  const tables = createMemoryTables();
  const open = () => createStore(createMemoryBackEnd(tables));
  const store = open();
  onTestFinished(() => store.close());
  for (const id of ids) await (await store.create({ id, person: "", project: "/work" })).release();
  for (const session of tables.sessions.values()) session.changed -= 365 * DAY;
  const left = async () => (await store.sessions()).map(({ id }) => id).sort();
  return { store, open, left };
}

test("old sessions are deleted at the start, a day later again, and by one process of all (S10)", async () => {
  const { store, open, left } = await prepare(["old"]);
  await store.create({ id: "held", person: "", project: "/work" });
  let today = Date.now();
  const begin = (one = store) =>
    onTestFinished(pruneDaily(one, { keep: () => 30, project: "/work", today: () => today }));
  begin();
  await expect.poll(left).toEqual(["held"]);

  const counts: number[] = [];
  const other = open();
  onTestFinished(() => other.close());
  const counting = { ...other, prune: async () => counts.push(1) };
  begin(counting);
  await expect
    .poll(
      async () => (await other.keyValues({ name: "pruned", person: "", project: "/work" }).get("last")) !== undefined,
    )
    .toBe(true);
  today += DAY - 1;
  begin(counting);
  today += 1;
  begin(counting);
  await expect.poll(() => counts.length).toBe(1);
});
