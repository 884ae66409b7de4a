import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSearchStores } from "../../src/runtime/session/search/search-stores.ts";
import { createStoredUsage } from "../../src/runtime/session/search/stored-usage.ts";
import type { BackEnd } from "../../src/runtime/store/back-end.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import { createScopedValues } from "../../src/runtime/store/scoped-values.ts";
import { openSqlite } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import { pack } from "../../src/system/embedding/vector-file.ts";
import { needs } from "../support/machine.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const STORES: Readonly<Record<string, () => Promise<() => Promise<BackEnd>>>> = {
  async memory() {
    const tables = createMemoryTables();
    return async () => createMemoryBackEnd(tables);
  },
  async sqlite() {
    const path = join(tempWorkspace().base, "state", "sessions.db");
    return () => openSqlite(path);
  },
  async postgres() {
    const url = await createDatabase();
    return () => openPostgres(url);
  },
};

/** What a model or a tool's author may have put there, also what databases stumble over. */
const ODD = "cut\u0000here \ud800 \u{1F50D} '; DROP TABLE shelf; --";

describe.each(Object.keys(STORES))("what search has learned, in %s (S8)", (name) => {
  test(
    "reaches every machine as it was, and no machine takes away what another one put there",
    name === "postgres" ? needs("postgres") : {},
    async () => {
      const make = await STORES[name]?.();
      if (make === undefined) throw new Error(name);
      const start = async () => {
        const store = createStore(await make());
        onTestFinished(() => store.close());
        const folders = { home: tempWorkspace().base, env: {} };
        const stores = createSearchStores(folders, createScopedValues(store, { person: "", project: "test" }));
        const usage = createStoredUsage((person) => store.keyValues({ name: "usage", person, project: "test" }));
        return { ...stores, vectors: stores.vectors({ id: "embedder/1" }), usage };
      };
      const [one, two] = [await start(), await start()];

      const written = (tool: string) => ({ tool, requests: [ODD, `find ${tool}`], model: "m" });
      await Promise.all([
        one.requests.change(
          new Map([
            ["sig-a", written("a")],
            ["sig-b", written("b")],
          ]),
        ),
        two.requests.change(new Map([["sig-c", written("c")]])),
      ]);
      for (const { requests } of [one, two])
        expect([...(await requests.load())].sort()).toEqual([
          ["sig-a", written("a")],
          ["sig-b", written("b")],
          ["sig-c", written("c")],
        ]);
      await two.requests.change(new Map([["sig-a", null]]));
      expect([...(await one.requests.load()).keys()].sort()).toEqual(["sig-b", "sig-c"]);

      const vector = (seed: number) => Float32Array.from({ length: 384 }, (_, at) => Math.sin(seed + at));
      const vectors = new Map(Array.from({ length: 70 }, (_, at) => [`sig-${at}`, vector(at)] as const));
      await Promise.all([one.vectors.save(vectors), two.vectors.save(new Map([["sig-two", vector(1_000)]]))]);
      const found = await (await start()).vectors.load();
      expect(found.size).toBe(71);
      for (const [signature, was] of vectors) expect(pack(found.get(signature) ?? new Float32Array())).toBe(pack(was));

      const use = (identity: string) => ({ query: ODD, identity, at: Date.now() });
      await Promise.all([one.usage.save("ada", [use("s/a")]), two.usage.save("ada", [use("s/b")])]);
      expect((await one.usage.load("ada")).map(({ identity }) => identity).sort()).toEqual(["s/a", "s/b"]);
      expect(await two.usage.load("bob")).toEqual([]);
    },
  );
});
