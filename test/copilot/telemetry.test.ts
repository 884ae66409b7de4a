import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { listen } from "../support/loopback-mcp.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;
interface Line {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Json;
  readonly status: { readonly code: number };
  readonly instrumentationScope: { readonly name: string };
}

async function runWith(env: Json, more: Json = {}, isOver: () => boolean = () => true) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  const calls = [{ tool: "look", arguments: { at: "said-argument" } }];
  await writeFile(script, JSON.stringify({ replies: [{ calls }, "said-reply"] }));
  const runtime = startRuntime(join(project, "home"), project, env);
  const client = runtime.connect();
  const tools = [{ name: "look", description: "Looks", skipPermission: true }];
  await client.request("secrets.addFilterValues", { values: ["top-secret"] });
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools });
  await client.request("session.send", { sessionId: "s", prompt: "said-prompt top-secret", ...more });
  const { requestId } = await client.next("external_tool.requested");
  await client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "said-result" });
  await client.next("session.idle");
  await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
  await client.request("runtime.shutdown");
  return { project, notes: runtime.notes };
}

const readLines = async (file: string): Promise<readonly Line[]> =>
  (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

const FILE = {
  ...{ COPILOT_OTEL_ENABLED: "true", COPILOT_OTEL_EXPORTER_TYPE: "file" },
  ...{ COPILOT_OTEL_FILE_EXPORTER_PATH: "spans.jsonl", COPILOT_OTEL_SOURCE_NAME: "my-app" },
};

test("a turn is exported to a file: the agent, its requests and calls, with what was said where the app wants that", async () => {
  const { project } = await runWith({ ...FILE, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
  const spans = await readLines(join(project, "spans.jsonl"));
  const named = (name: string) => spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === name);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(new Set(spans.map(({ instrumentationScope }) => instrumentationScope.name))).toEqual(new Set(["my-app"]));
  const [agent] = named("invoke_agent");
  expect(agent).toMatchObject({ attributes: { "gen_ai.conversation.id": "s" }, status: { code: 1 } });
  expect(agent?.parentSpanId).toBeUndefined();
  const below = [...named("chat"), ...named("execute_tool")];
  expect(below.map(({ parentSpanId }) => parentSpanId)).toEqual([agent?.spanId, agent?.spanId, agent?.spanId]);
  const [first, second, call] = below.map(({ attributes }) => attributes);
  expect(first?.["gen_ai.input.messages"]).toContain("said-prompt [hidden]");
  expect(second?.["gen_ai.input.messages"]).toContain("said-result");
  expect(second?.["gen_ai.output.messages"]).toContain("said-reply");
  expect(call).toMatchObject({
    "gen_ai.tool.name": "look",
    "gen_ai.tool.call.arguments": '{"at":"said-argument"}',
    "gen_ai.tool.call.result": "said-result",
  });
  expect((await stat(join(project, "spans.jsonl"))).mode & 0o077).toBe(0);
});

test("nothing of what was said is exported unless the app wants it", async () => {
  const { project } = await runWith(FILE);
  const text = await readFile(join(project, "spans.jsonl"), "utf8");
  expect(text).toContain("execute_tool look");
  expect(text).not.toMatch(/said-|top-secret/);
});

test("a turn is exported to a collector, below the span of the app", async () => {
  const spans: Json[] = [];
  const { origin } = await listen((_request, response, body) => {
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Json[] }[] }[] };
    for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { notes } = await runWith(
    { COPILOT_OTEL_ENABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: origin, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
    { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    () => spans.length === 4,
  );
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(spans.find(({ name }) => name === "invoke_agent")).toMatchObject({ parentSpanId: "b7ad6b7169203331" });
  expect(notes.join()).toContain("http/json, not as http/protobuf");
});

test.each([
  [{ COPILOT_OTEL_EXPORTER_TYPE: "file" }, "no filePath is given"],
  [{ COPILOT_OTEL_EXPORTER_TYPE: "console" }, 'there is no exporter "console"'],
  [{}, "otlpEndpoint is no address"],
])("telemetry that cannot be exported says so: %j", async (env, why) => {
  const { notes } = await runWith({ COPILOT_OTEL_ENABLED: "true", ...env });
  expect(notes.join()).toContain(why);
});
