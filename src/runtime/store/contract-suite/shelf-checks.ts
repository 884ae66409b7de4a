import assert from "node:assert/strict";
import type { StoreWork } from "./store-work.ts";

const PLACE = { name: "grants", person: "ada", project: "/work" };

export const shelfChecks: Readonly<Record<string, StoreWork>> = {
  "keeps values by person, project and name of the shelf": async (open) => {
    const store = await open();
    await store.shelf(PLACE).change("key", () => ({ rules: ["view"] }));
    await store.shelf(PLACE).change("__proto__", () => "odd");
    await store.close();
    const later = await open();
    assert.deepEqual(await later.shelf(PLACE).get("key"), { rules: ["view"] });
    assert.deepEqual(
      await later.shelf(PLACE).entries(),
      new Map<string, unknown>([
        ["__proto__", "odd"],
        ["key", { rules: ["view"] }],
      ]),
    );
    for (const other of [{ person: "bob" }, { project: "/other" }, { name: "usage" }])
      assert.equal(await later.shelf({ ...PLACE, ...other }).get("key"), undefined);
    assert.equal(await later.shelf(PLACE).get("unknown"), undefined);
  },
  "takes a value away": async (open) => {
    const shelf = (await open()).shelf(PLACE);
    await shelf.change("key", () => 1);
    await shelf.change("key", () => undefined);
    await shelf.change("never there", () => undefined);
    assert.deepEqual(await shelf.entries(), new Map());
  },
  "loses no change of those that are made at the same time": async (open) => {
    const shelves = [(await open()).shelf(PLACE), (await open()).shelf(PLACE)];
    const add = (value: unknown): number => Number(value ?? 0) + 1;
    await Promise.all(shelves.flatMap((shelf) => Array.from({ length: 10 }, () => shelf.change("count", add))));
    assert.equal(await shelves[0]?.get("count"), 20);
  },
};
