import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import type { Store } from "../../store/store.ts";
import { createSession } from "../library.ts";
import { openStore } from "../stored/stored-sessions.ts";

const tools = [
  ...Array.from({ length: 40 }, (_, at) =>
    defineTool(`ship_record_${at}`, { description: `Ships record ${at}`, handler: async () => "" }),
  ),
  defineTool("brew", { description: "Prepares a hot drink", handler: async () => "done" }),
];

/** Knows that a zorble is a hot drink, and counts what it is asked. */
async function listen(answer: (texts: readonly string[]) => { readonly status: number; readonly body: unknown }) {
  const asked: { readonly path: string; readonly key: string; readonly model: string; readonly texts: number }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { model, input } = JSON.parse(body);
      asked.push({ path: request.url ?? "", key: request.headers.authorization ?? "", model, texts: input.length });
      const given = answer(input);
      response.writeHead(given.status, { "content-type": "application/json" });
      response.end(JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const toVectors = (texts: readonly string[]) => ({
  status: 200,
  body: { data: texts.map((text, index) => ({ index, embedding: [/hot drink|zorble/i.test(text) ? 1 : 0, 0.01] })) },
});

const closers: (() => Promise<void>)[] = [];
let state = "";
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "toolcrib-vectors-"));
  vi.stubEnv("XDG_STATE_HOME", state);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0)) await close();
  rmSync(state, { recursive: true, force: true });
});

async function search(query: string, embedder: { readonly url: string; readonly key?: string }, store?: Store) {
  const session = await createSession({
    builtins: "all",
    workspace: null,
    tools,
    permissions: { allow: ["tool_search"] },
    search: { embedder: { model: "small", ...embedder } },
    ...(store === undefined ? {} : { store }),
  });
  try {
    const { structured } = await session.call("tool_search", { query });
    return (structured as { readonly loaded?: readonly string[] } | undefined)?.loaded ?? []; // As the source gives it.
  } finally {
    await session.close();
  }
}

describe("a configured embedder", () => {
  test("finds what no word leads to, and each tool is embedded once for all sessions", async () => {
    const { asked, url } = await listen(toVectors);
    expect((await search("zorble", { url, key: "secret" }))[0]).toBe("brew");
    expect(asked.map(({ texts }) => texts)).toEqual([tools.length, 1]);
    expect(new Set(asked.map(({ path, key, model }) => `${path} ${key} ${model}`))).toEqual(
      new Set(["/v1/embeddings Bearer secret small"]),
    );
    expect((await search("zorble", { url }))[0]).toBe("brew");
    expect(asked.map(({ texts }) => texts)).toEqual([tools.length, 1, 1]);
    expect(readdirSync(join(state, "toolcrib", "vectors"))).toHaveLength(1);
  });

  test("is asked about each tool once for all machines that share a store, and what one kept in a file is taken over", async () => {
    const { asked, url } = await listen(toVectors);
    const store = await openStore("memory:");
    closers.push(() => store.close());
    await search("zorble", { url });
    const later = defineTool("steam", { description: "Warms milk", handler: async () => "" });
    tools.push(later);
    closers.push(async () => void tools.splice(tools.indexOf(later), 1));
    expect((await search("zorble", { url }, store))[0]).toBe("brew");
    expect(asked.map(({ texts }) => texts)).toEqual([tools.length - 1, 1, 1, 1]);
    rmSync(join(state, "toolcrib"), { recursive: true });
    expect((await search("zorble", { url }, store))[0]).toBe("brew");
    expect(asked.map(({ texts }) => texts)).toEqual([tools.length - 1, 1, 1, 1, 1]);
  });

  test.each([
    ["refuses", { status: 401, body: {} }],
    ["answers nonsense", { status: 200, body: { data: [{ embedding: ["x"] }] } }],
  ])("that %s leaves the search to words", async (_, answer) => {
    const { url } = await listen(() => answer);
    expect(await search("hot drink", { url })).toContain("brew");
    expect(await search("zorble", { url })).toEqual([]);
  });

  test("that dies half-way is not asked again for what it made", async () => {
    const many = Array.from({ length: 70 }, (_, at) =>
      defineTool(`tool_${at}`, { description: `Does ${at}`, handler: async () => "" }),
    );
    tools.push(...many);
    closers.push(async () => void tools.splice(-many.length));
    let answers = 0;
    const { asked, url } = await listen((texts) => {
      answers += 1;
      return answers === 2 ? { status: 500, body: {} } : toVectors(texts);
    });
    await search("zorble", { url });
    await search("zorble", { url });
    expect(asked.map(({ texts }) => texts)).toEqual([64, tools.length - 64, tools.length - 64, 1]);
  });

  test("that is away leaves the search to words", async () => {
    expect(await search("hot drink", { url: "http://127.0.0.1:1/v1" })).toContain("brew");
  });
});

describe("the setting", () => {
  const written = "search: { embedder: { url: 'http://127.0.0.1:9/v1', model: m, key: '${EMBED_KEY}' } }";

  test("counts from a person's file, with variables, and waits for trust in a project's", async () => {
    const mine = await createWorkspace({ user: written }).load({}, { EMBED_KEY: "k" });
    expect(mine.search.embedder).toMatchObject({ url: "http://127.0.0.1:9/v1", model: "m", key: "k" });
    const project = await createWorkspace({ "toolcrib.yaml": written }).load({}, { EMBED_KEY: "k" });
    expect(project.search.embedder).toBeNull();
  });

  test("is left out with a notice while a variable is not set", async () => {
    const { search: found, notices } = await createWorkspace({ user: written }).load();
    expect(found.embedder).toBeNull();
    expect(notices.map(({ code }) => code)).toContain("config.variable-unset");
  });

  test("takes a web address", async () => {
    const wrong = createWorkspace({ user: "search: { embedder: { url: 'file:///etc/passwd', model: m } }" });
    await expect(wrong.load()).rejects.toThrow(/http or https/);
  });
});
