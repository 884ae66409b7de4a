import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { createSession } from "../../src/index.ts";
import { PROVIDERS, type ProviderName, recordReply } from "../support/recorded-reply.ts";
import { type Replay, startReplayServer } from "../support/replay-server.ts";

// Every way in which a request can carry loaded tools. What a session says it sends is compared with the bytes sent.
const FORMS: readonly (readonly [form: string, provider: ProviderName, model: string])[] = [
  ["Claude with references", "anthropic", "anthropic/claude-sonnet-4-5"],
  ["Claude with names", "anthropic", "anthropic/another-model"],
  ["Responses with definitions", "openai", "openai/gpt-5.4"],
  ["Responses with names", "openai", "openai/gpt-5"],
  ["Azure with definitions", "azure", "azure/gpt-5.4"],
  ["Gemini", "gemini", "gemini/gemini-2.5-pro"],
  ["Chat Completions", "compatible", "compatible/some-model"],
];

const SEARCH = (id: string, name: string) => [{ id, name: "tool_search", input: { query: `select:${name}` } }];
const CALL = (id: string, name: string) => [{ id, name, input: {} }];

describe.each(FORMS)("%s", (_form, provider, model) => {
  test("what a search loaded is sent in every later request, also after a summary (D8)", async () => {
    const { session, asked, ran } = await open(provider, model, [
      SEARCH("s1", "svc_7"),
      CALL("c1", "svc_7"),
      ...[[], [], [], []], // The answer, two more turns, the summary.
      CALL("c2", "svc_7"),
      SEARCH("s2", "svc_9"),
      CALL("c3", "svc_9"),
      [],
    ]);
    await session.run("Use svc_7.");
    for (const prompt of ["And?", "And then?"]) await session.run(prompt);
    expect(asked().map((body) => modelHas(body, "svc_7"))).toEqual([false, true, true, true, true]);
    expect(await session.compact()).toBe(true);
    await session.run("Use it again, and svc_9.");
    expect(ran).toEqual(["svc_7", "svc_7", "svc_9"]);
    const [, first, second, third, last] = asked().slice(-5);
    expect([first, second, third, last].map((body) => modelHas(body, "svc_7"))).toEqual([true, true, true, true]);
    expect([first, second, third, last].map((body) => modelHas(body, "svc_9"))).toEqual([false, false, true, true]);
    expect(session.why("svc_7")).toMatchObject({ explanations: [{ standing: "visible" }] });
    // It is not said to be out of reach, and what is sent of it stays the same.
    expect(behindSearch(first)).not.toContain("svc_7");
    expect(behindSearch(first)).toContain("svc_9");
    expect(definitionOf(last, "svc_7")).toEqual(definitionOf(first, "svc_7"));
  });

  test("also if the summary failed and old results were dropped, or the search was taken back", async () => {
    const { session, asked, ran } = await open(provider, model, [
      SEARCH("s1", "svc_7"),
      CALL("c1", "svc_7"),
      [],
      [],
      [],
      "refused",
      CALL("c2", "svc_7"),
      [],
    ]);
    await session.run("Use svc_7.");
    for (const prompt of ["And?", "And then?"]) await session.run(prompt);
    expect(await session.compact()).toBe(true);
    await session.run("Use it again.");
    expect(ran).toEqual(["svc_7", "svc_7"]);
    expect(
      asked()
        .slice(-2)
        .map((body) => modelHas(body, "svc_7")),
    ).toEqual([true, true]);
    await session.truncate(0);
    await session.run("Once more.");
    expect(session.why("svc_7")).toMatchObject({ explanations: [{ standing: "visible" }] });
    expect(modelHas(asked().at(-1), "svc_7")).toBe(true);
  });
});

type Body = Readonly<Record<string, unknown>>;

async function open(
  provider: ProviderName,
  model: string,
  replies: readonly (Parameters<typeof recordReply>[1] | "refused")[],
) {
  const replays = replies.map(async (reply): Promise<Replay> => {
    if (reply === "refused") return { status: 400, body: '{"error":{"message":"no"}}' };
    const isNative = model.endsWith("gpt-5.4");
    return { body: await recordReply(provider, reply, isNative ? [{ type: "tool_search" }] : []) };
  });
  const server = await startReplayServer(await Promise.all(replays));
  const ran: string[] = [];
  const tools = Array.from({ length: 12 }, (_, at) =>
    defineTool(`svc_${at}`, {
      description: `Does job ${at}`,
      parameters: z.object({}),
      defer: "auto",
      handler: () => {
        ran.push(`svc_${at}`);
        return "done";
      },
    }),
  );
  const session = await createSession({
    workspace: null,
    builtins: [],
    tools,
    toolSearch: "on",
    model,
    providers: { [provider]: { baseUrl: `${server.url}${PROVIDERS[provider].base}`, key: "the-key" } },
  });
  onTestFinished(async () => {
    await session.close();
    await server[Symbol.asyncDispose]();
  });
  return {
    session,
    ran,
    /** What was sent, request by request. */
    asked: () => server.seen.map(({ body }) => body as Body), // What the wires send.
  };
}

/** Everything in a value that could be a definition of this tool, or a reference to one. */
function findNamed(value: unknown, name: string): Body[] {
  if (Array.isArray(value)) return value.flatMap((item) => findNamed(item, name));
  if (typeof value !== "object" || value === null) return [];
  const here = value as Body; // An object.
  const isIt = here.name === name || here.tool_name === name;
  return [...(isIt ? [here] : []), ...Object.values(here).flatMap((item) => findNamed(item, name))];
}

function definitionOf(body: Body | undefined, name: string): Body | undefined {
  return findNamed(body?.tools, name)[0];
}

/** Whether the provider shows the model the definition: sent whole, or deferred and loaded by the history. */
function modelHas(body: Body | undefined, name: string): boolean {
  const definition = definitionOf(body, name);
  const history = findNamed([body?.messages, body?.input], name);
  if (definition?.defer_loading === true) return history.some(({ type }) => type === "tool_reference");
  return definition !== undefined || history.some(({ defer_loading }) => defer_loading === true);
}

/** The names that the prompt says a search can load. */
function behindSearch(body: Body | undefined): readonly string[] {
  return /tool_search: call it to load one[^"]*?external: ([\w, ]+)/.exec(JSON.stringify(body))?.[1]?.split(", ") ?? [];
}
