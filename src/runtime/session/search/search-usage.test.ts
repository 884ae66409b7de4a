import { afterEach, describe, expect, test, vi } from "vitest";
import type { Use } from "../../../core/search/usage-memory.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";
import type { UsageStore } from "./search-usage.ts";

const open: Session[] = [];
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});

/** Nothing in the definitions says "frob it": only what was done before can. */
const tools = [
  ...Array.from({ length: 40 }, (_, at) =>
    defineTool(`frob_record_${at}`, { description: `Frobs record ${at}`, handler: async () => "" }),
  ),
  defineTool("deploy", { description: "Deploys a build to production", handler: async () => "done" }),
  defineTool("flaky", { description: "Frobs boldly", handler: async () => Promise.reject(new Error("no")) }),
];

async function begin(options: SessionOptions = {}): Promise<Session> {
  const session = await createSession({
    builtins: "all",
    workspace: null,
    tools,
    permissions: { allow: ["deploy", "flaky", "tool_search"] },
    ...options,
  });
  open.push(session);
  return session;
}

/** Keeps text, as a file would. */
function createStore() {
  const files = new Map<string, string>();
  const store: UsageStore = {
    load: async (tenant) => JSON.parse(files.get(tenant) ?? "[]"),
    save: async (tenant, uses) => void files.set(tenant, JSON.stringify(uses)),
  };
  return { files, store };
}

async function search(session: Session, query: string): Promise<readonly string[]> {
  const { structured } = await session.call("tool_search", { query });
  return (structured as { readonly loaded?: readonly string[] } | undefined)?.loaded ?? []; // As the source gives it.
}

async function teach(session: Session, tool: string): Promise<void> {
  for (const query of [`frob it now ${tool}`, `please frob it ${tool}`]) {
    await search(session, query);
    await session.call(tool);
  }
}

describe("usage memory of sessions", () => {
  test("a search that led to a successful call ranks later ones of the same tenant, and of no other", async () => {
    const { store } = createStore();
    const before = await begin({ usage: store, tenant: "a" });
    expect((await search(before, "frob it"))[0]).not.toBe("deploy");
    await teach(before, "deploy");
    const same = await begin({ usage: store, tenant: "a" });
    expect((await search(same, "frob it"))[0]).toBe("deploy");
    const other = await begin({ usage: store, tenant: "b" });
    expect(await search(other, "frob it")).not.toContain("deploy");
  });

  test("a store that does not answer keeps no source of a closing session running", async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const store: UsageStore = { load: async () => [], save: () => answered };
    const session = await begin({ usage: store });
    await teach(session, "deploy");
    const closing = session.close();
    await vi.waitFor(() => expect(session.sources).toEqual([]), { timeout: 30_000 });
    answer();
    await closing;
  });

  test("it outlives the process: what is stored is read again", async () => {
    const { files, store } = createStore();
    const first = await begin({ usage: store, tenant: "a" });
    await teach(first, "deploy");
    await first.close();
    // Another store on the same files, as after a restart.
    const again: UsageStore = { load: store.load, save: store.save };
    const second = await begin({ usage: again, tenant: "a" });
    expect((await search(second, "frob it"))[0]).toBe("deploy");
    expect([...files.keys()]).toEqual(["a"]);
  });

  test("names of tools and stems of words are stored, and nothing else", async () => {
    const { files, store } = createStore();
    const session = await begin({ usage: store, tenant: "a" });
    await search(session, "deploying for Mr. Bobson, token 12345");
    await session.call("deploy", { note: "the secret is 42" });
    await session.close();
    const uses: readonly Use[] = JSON.parse(files.get("a") ?? "");
    expect(uses).toEqual([{ identity: "deploy", query: expect.any(String), at: expect.any(Number) }]);
    expect(files.get("a")).not.toContain("secret");
    expect(files.get("a")).not.toContain("Mr. Bobson, token");
  });

  test("a call that failed, a tool that no search found, and searches by name or pattern teach nothing", async () => {
    const { files, store } = createStore();
    const session = await begin({ usage: store, tenant: "a" });
    await session.call("deploy");
    await search(session, "select:deploy");
    await session.call("deploy");
    await search(session, "/^deploy$/");
    await session.call("deploy");
    await search(session, "frobs boldly");
    await session.call("flaky");
    await session.close();
    expect(files.size).toBe(0);
  });

  test("a store that cannot be read costs nothing but the memory, and is not written over", async () => {
    const errors: string[] = [];
    let saved = 0;
    const store: UsageStore = {
      load: async () => Promise.reject(new Error("disk is gone")),
      save: async () => {
        saved += 1;
      },
    };
    const logger = { error: (text: string) => void errors.push(text), debug: () => {} };
    const session = await begin({ usage: store, tenant: "a", logger });
    await teach(session, "deploy");
    expect((await search(session, "frob it"))[0]).toBe("deploy");
    await session.close();
    expect({ saved, errors }).toEqual({ saved: 0, errors: ["what earlier searches led to could not be read"] });
  });

  test("whatever a store holds, nothing breaks", async () => {
    const odd = [null, 7, { query: "frob it" }, { query: "frob it", identity: "deploy", at: "now" }, { at: 1 }];
    const store = { load: async () => odd, save: async () => {} } as unknown as UsageStore; // Stores hold anything.
    const session = await begin({ usage: store });
    expect((await search(session, "frob it")).length).toBeGreaterThan(0);
  });
});

describe("an embedder that the host plugs in", () => {
  /** Knows that frobbing and deploying are one thing, and nothing else. */
  const toVector = (text: string) =>
    Float32Array.of(/deploy|roll out/i.test(text) ? 1 : 0, /frob/i.test(text) ? 1 : 0, 0.01);

  test("finds what no word leads to, and embeds each tool once", async () => {
    let embedded = 0;
    const embedder = {
      id: "test",
      embed: async (texts: readonly string[]) => {
        embedded += texts.length;
        return texts.map(toVector);
      },
    };
    const plain = await begin();
    expect(await search(plain, "roll out")).toEqual([]);
    const session = await begin({ embedder });
    expect((await search(session, "roll out"))[0]).toBe("deploy");
    await search(session, "roll out");
    expect(embedded).toBe(tools.length + 2);
  });

  test("that fails costs nothing but itself", async () => {
    const errors: string[] = [];
    const logger = { error: (text: string) => void errors.push(text), debug: () => {} };
    const embedder = { id: "test", embed: async () => Promise.reject(new Error("out of quota")) };
    const session = await begin({ embedder, logger });
    expect(await search(session, "deploys a build")).toContain("deploy");
    expect(errors).toEqual(["the embedder failed, so the search goes by words alone"]);
  });

  test("never brings a hidden tool", async () => {
    const embedder = { id: "test", embed: async (texts: readonly string[]) => texts.map(toVector) };
    const session = await begin({ embedder, excludedTools: ["deploy"] });
    expect(await search(session, "roll out")).not.toContain("deploy");
  });
});
