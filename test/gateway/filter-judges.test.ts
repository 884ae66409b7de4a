import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { SessionEvents } from "../../src/core/events/event-types.ts";
import { listen } from "../support/loopback-mcp.ts";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/clerk-server.mjs", import.meta.url));
const SECRET = "a-secret-of-this-judge";
type Asked = Readonly<Record<string, unknown>>;

/** A gateway in front of the clerk, with a judge that answers like this; a text is sent as it is. */
async function withJudge(answer: (asked: Asked) => unknown, judge: object = {}, others: readonly object[] = []) {
  const asked: Asked[] = [];
  const { origin } = await listen(async (request, response, body) => {
    const { "x-toolcrib-timestamp": time, "x-toolcrib-signature": signature } = request.headers;
    const expected = createHmac("sha256", SECRET)
      .update(`v1:${String(time)}:${body}`)
      .digest("hex");
    const isFresh = Math.abs(Date.now() / 1_000 - Number(time)) < 60;
    if (signature !== `v1=${expected}` || !isFresh) return response.writeHead(401).end();
    asked.push(JSON.parse(body));
    const said = await answer(JSON.parse(body));
    return response.end(typeof said === "string" ? said : JSON.stringify(said));
  });
  const found: SessionEvents["tool.filtered"][] = [];
  const filter = { name: "dlp", judge: { url: `${origin}/judge`, secret: SECRET, timeout: 5_000, ...judge } };
  const { url, crib } = await openGateway(
    {
      mcpServers: { crm: { command: process.execPath, args: [SERVER] } },
      permissions: { allow: ["crm/*"] },
      toolSearch: "off",
      filters: [filter, ...others],
    },
    { crib: { watch: ({ session }) => void session.on("tool.filtered", (data) => void found.push(data)) } },
  );
  const { client } = await connect(url, "modern");
  const call = async (name: string, args: object = {}) =>
    client.callTool({ name: `crm__${name}`, arguments: { ...args } });
  return { call, asked, found, client, crib };
}

test("a judge is asked about arguments and results, after other filters, and may let both pass", async () => {
  const { call, asked, found } = await withJudge(() => ({ accept: true }), {}, [{ kinds: ["email"] }]);
  expect(textOf(await call("say", { text: "to alice@example.com" }))).toBe('You said {"text":"to [masked: email]"}');
  expect(asked).toMatchObject([
    { version: 1, on: "arguments", tool: "crm/say", server: "crm", value: { text: "to [masked: email]" } },
    { version: 1, on: "results", tool: "crm/say", value: { text: 'You said {"text":"to [masked: email]"}' } },
  ]);
  expect(found.flatMap((one) => one.found.map(({ kind }) => kind))).toEqual(["email"]);
});

test("it may refuse with words for the model and a reason for the log", async () => {
  const no = { accept: false, message: "Ask legal first.", reason: "names a client" };
  const { call, found } = await withJudge(({ on }) => (on === "arguments" ? no : { accept: true }));
  expect(textOf(await call("say", { text: "x" }))).toBe(
    "The call did not run: the judge dlp refuses it. Ask legal first. [filter.blocked]",
  );
  expect(found[0]?.found).toEqual([{ kind: "dlp", count: 1, act: "block", origin: "judge", reason: "names a client" }]);
});

test("it may change arguments and results, as long as they fit", async () => {
  const { call } = await withJudge(({ on, tool }) => {
    if (tool !== "crm/say") return { accept: true, mutated: { to: "nobody" } };
    return { accept: true, mutated: on === "arguments" ? { text: "changed" } : { text: "and changed back" } };
  });
  expect(await call("say", { text: "x" })).toMatchObject({ content: [{ type: "text", text: "and changed back" }] });
  expect(textOf(await call("mail", { to: "a@b.example" }))).toMatch(/gave no answer.*\[filter\.blocked\]$/);
});

test("data that it changed has to be what the tool promises", async () => {
  const results = (structured: unknown) =>
    withJudge(({ on }) =>
      on === "arguments" ? { accept: true } : { accept: true, mutated: { text: "t", structured } },
    );
  const good = { mail: "x@y", card: "0".repeat(19) };
  const { call } = await results(good);
  expect(await call("customer")).toMatchObject({ structuredContent: good, content: [{ text: "t" }] });
  const bad = await results({ mail: "x@y" });
  expect(textOf(await bad.call("customer"))).toMatch(/its result is withheld.*gave no answer/);
});

test.each([
  ["is not there", { url: "http://127.0.0.1:1/" }, { accept: true }],
  ["takes too long", { timeout: 50 }, new Promise(() => {})],
  ["answers with something else", {}, "fine with me"],
  ["leaves out whether it accepts", {}, { mutated: {} }],
  ["does not know the secret", { secret: "another" }, { accept: true }],
])("a judge that %s lets nothing pass, unless its failure is said to let everything pass", async (_, judge, answer) => {
  const closed = await withJudge(() => answer, judge);
  expect(textOf(await closed.call("say", { text: "x" }))).toMatch(/^The call did not run: the judge dlp has to agree/);
  expect(closed.found[0]?.found[0]).toMatchObject({ kind: "dlp", act: "block", reason: /^the judge failed: / });
  const open = await withJudge(() => answer, { ...judge, onFailure: "continue" });
  expect(textOf(await open.call("say", { text: "x" }))).toBe('You said {"text":"x"}');
  expect(open.found.map((one) => one.found[0]?.act)).toEqual(["note", "note"]);
});

test("a judge never leads elsewhere", async () => {
  const elsewhere = await listen((_request, response) => response.end('{"accept":true}'));
  const { origin } = await listen((_request, response) => response.writeHead(307, { location: elsewhere.url }).end());
  const { call } = await withJudge(() => ({ accept: true }), { url: `${origin}/judge` });
  expect(textOf(await call("say", { text: "x" }))).toContain("gave no answer");
  expect(elsewhere.requests).toEqual([]);
});

test("it is asked about prompts and resources too", async () => {
  const { client, asked } = await withJudge(({ on }) => ({ accept: on === "arguments", message: "not this one" }));
  await expect(client.readResource({ uri: "crm://1" })).rejects.toThrow("not this one");
  expect(asked.map(({ tool }) => tool)).toEqual(["resources/read", "resources/read"]);
});
