import assert from "node:assert/strict";
import type { StoreWork } from "./store-work.ts";

const PLACE = { name: "grants", person: "ada", project: "/work" };

export const keyValueChecks: Readonly<Record<string, StoreWork>> = {
  "keeps values by person, project and name": async (open) => {
    const store = await open();
    await store.keyValues(PLACE).change("key", () => ({ rules: ["view"] }));
    await store.keyValues(PLACE).change("__proto__", () => "odd");
    await store.close();
    const later = await open();
    assert.deepEqual(await later.keyValues(PLACE).get("key"), { rules: ["view"] });
    assert.deepEqual(
      await later.keyValues(PLACE).entries(),
      new Map<string, unknown>([
        ["__proto__", "odd"],
        ["key", { rules: ["view"] }],
      ]),
    );
    for (const other of [{ person: "bob" }, { project: "/other" }, { name: "usage" }])
      assert.equal(await later.keyValues({ ...PLACE, ...other }).get("key"), undefined);
    assert.equal(await later.keyValues(PLACE).get("unknown"), undefined);
  },
  "takes a value away": async (open) => {
    const values = (await open()).keyValues(PLACE);
    await values.change("key", () => 1);
    await values.change("key", () => undefined);
    await values.change("never there", () => undefined);
    assert.deepEqual(await values.entries(), new Map());
  },
  "loses no change of those that are made at the same time": async (open) => {
    const both = [(await open()).keyValues(PLACE), (await open()).keyValues(PLACE)];
    const add = (value: unknown): number => Number(value ?? 0) + 1;
    await Promise.all(both.flatMap((values) => Array.from({ length: 10 }, () => values.change("count", add))));
    assert.equal(await both[0]?.get("count"), 20);
  },
};
