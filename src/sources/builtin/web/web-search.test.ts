import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createSession } from "../../../runtime/session/library.ts";
import { readResults } from "./web-search.ts";

/** A server on this machine that keeps what it was asked. */
async function serve(answer: (url: URL, body: string) => { readonly status?: number; readonly text: string }) {
  const asked: { readonly url: string; readonly key: string | undefined; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    asked.push({ url: request.url ?? "", key: request.headers["x-key"]?.toString(), body });
    const { status = 200, text } = answer(new URL(request.url ?? "", "http://local"), body);
    response.writeHead(status, { location: "/elsewhere" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // It listens on a port.
}

test("web_search asks the configured engine with its key, and shows what it found, cleaned", async () => {
  const results = [
    { title: "On\u200b <b>crib</b>", url: "https://a.example/", content: "Tools" },
    { title: "bad", url: "javascript:alert(1)" },
  ];
  const { asked, origin } = await serve(() => ({ text: JSON.stringify({ results }) }));
  const web = { url: `${origin}/search?q={query}&format=json`, headers: { "x-key": "secret" } };
  const session = await createSession({ workspace: null, builtins: ["web_search"], search: { web } });
  onTestFinished(() => session.close());
  const { textResultForLlm } = await session.call("web_search", { query: "tool crib & more" });
  expect(textResultForLlm).toBe("1. On crib\n   https://a.example/\n   Tools");
  expect(asked).toEqual([{ url: "/search?q=tool%20crib%20%26%20more&format=json", key: "secret", body: "" }]);
});

test.each([
  [200, "no json", "its answer is no JSON"],
  [302, "", "it did not answer"],
  [429, "", "status 429"],
])("an engine that answers %i %j is a failure the model can read", async (status, text, why) => {
  const { origin, asked } = await serve(() => ({ status, text }));
  const web = { url: `${origin}/?q={query}` };
  const session = await createSession({ workspace: null, builtins: ["web_search"], search: { web } });
  onTestFinished(() => session.close());
  const result = await session.call("web_search", { query: "x" });
  expect(result).toMatchObject({ resultType: "failure", textResultForLlm: expect.stringContaining(why) });
  expect(asked).toHaveLength(1);
});

test("without an engine the tool is hidden, and the answer says what to set", async () => {
  const session = await createSession({ workspace: null, builtins: ["web_search", "think"] });
  onTestFinished(() => session.close());
  const [hidden] = session.toolset.placements.filter(({ entry }) => entry.tool.name === "web_search");
  expect(hidden).toMatchObject({
    standing: "hidden",
    trace: [{ gate: "capability", reason: { text: "no search engine is configured", fix: "set search.web.url" } }],
  });
});

test.each([
  ["SearXNG", { results: [{ title: "t", url: "https://a/", content: "c" }] }],
  ["Brave", { web: { results: [{ title: "t", url: "https://a/", description: "c" }] } }],
  ["Google", { items: [{ title: "t", link: "https://a/", snippet: "c" }] }],
  ["Serper", { organic: [{ title: "t", link: "https://a/", snippet: "c" }] }],
])("an answer of %s can be read", (_, answer) => {
  expect(readResults(answer)).toEqual([{ title: "t", url: "https://a/", text: "c" }]);
});

test("memories can be kept by a server", async () => {
  const facts = [{ subject: "build", fact: "npm test" }, { odd: true }];
  const { asked, origin } = await serve(() => ({ text: JSON.stringify({ facts }) }));
  const session = await createSession({
    ...{ workspace: null, builtins: ["memory"], features: { memory: true }, mode: "bypass" },
    memoryServer: { url: `${origin}/facts`, headers: { "x-key": "secret" } },
  });
  onTestFinished(() => session.close());
  expect(await session.call("store_memory", { subject: "build", fact: "npm test" })).toMatchObject({
    resultType: "success",
  });
  const { textResultForLlm } = await session.call("recall_memory", { query: "how to build" });
  expect(textResultForLlm).toBe("- build: npm test");
  expect(asked).toEqual([
    { url: "/facts", key: "secret", body: '{"subject":"build","fact":"npm test"}' },
    { url: "/facts?query=how+to+build", key: "secret", body: "" },
  ]);
});
