import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../test/support/loopback-mcp.ts";
import { createStamper, type SessionEvent } from "../../core/events/envelope.ts";
import { readTraceSettings } from "./trace-settings.ts";
import { readTraceParent } from "./traceparent.ts";
import { createTraces, type TraceOptions } from "./traces.ts";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const HEX = (digits: number) => expect.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));
const NANOSECONDS = expect.stringMatching(/^\d{19}$/);

interface Received {
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: {
    readonly resourceSpans: readonly [{ readonly scopeSpans: readonly [{ readonly spans: object[] }] }];
  };
}

/** A collector that keeps what it gets, and answers as told. */
async function collector(status: () => number = () => 200) {
  const received: Received[] = [];
  const { origin } = await listen((request, response, body) => {
    received.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(body) });
    response.writeHead(status(), { "content-type": "application/json" }).end("{}");
  });
  return { origin, received, spans: () => received.flatMap(({ body }) => body.resourceSpans[0].scopeSpans[0].spans) };
}

function open(env: TraceOptions["env"], more: Partial<TraceOptions> = {}) {
  const traces = createTraces({ env, version: "9.9", ...more });
  if (traces === null) throw new Error("no traces were asked for");
  onTestFinished(() => traces.close());
  return traces;
}

const stamp = createStamper({ today: Date.now, newId: randomUUID });

const completed = (
  id: string,
  resultType: "success" | "denied" = "success",
  traceparent: { readonly traceparent?: string } = {},
): SessionEvent =>
  stamp("tool.execution_complete", {
    toolCallId: id,
    toolName: "it__echo",
    arguments: { text: "canary arguments" },
    success: resultType === "success",
    resultType,
    content: "canary content",
    error: null,
    sessionLog: null,
    toolTelemetry: null,
    cancelledBy: null,
    duration: 12.5,
    sentToModel: true,
    ...traceparent,
  });
const allowed = (id: string): SessionEvent =>
  stamp("permission.completed", {
    requestId: null,
    by: null,
    toolCallId: id,
    toolName: "it__echo",
    decision: "allow",
    code: "permission.allowed",
    text: "canary",
    origin: "default",
  });

describe("spans", () => {
  test("are sent in the documented form, below the caller's own, with nothing of what was said", async () => {
    const { origin, received } = await collector();
    const traces = open({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${origin}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=a%20b,broken,=x",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    traces.record("s", allowed("1"));
    traces.record("s", completed("1", "success", { traceparent: PARENT }));
    await traces.close();
    expect(received).toHaveLength(1);
    expect(received[0]?.path).toBe("/v1/traces");
    expect(received[0]?.headers).toMatchObject({ "content-type": "application/json", "x-team": "a b" });
    expect(received[0]?.body).toEqual({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: "deployment.environment.name", value: { stringValue: "test" } },
              { key: "service.name", value: { stringValue: "toolcrib" } },
              { key: "service.version", value: { stringValue: "9.9" } },
            ],
          },
          scopeSpans: [
            {
              scope: { name: "toolcrib", version: "9.9" },
              spans: [
                {
                  traceId: "0af7651916cd43dd8448eb211c80319c",
                  spanId: HEX(16),
                  parentSpanId: "b7ad6b7169203331",
                  name: "tools/call it__echo",
                  kind: 2,
                  startTimeUnixNano: NANOSECONDS,
                  endTimeUnixNano: NANOSECONDS,
                  attributes: [
                    { key: "mcp.method.name", value: { stringValue: "tools/call" } },
                    { key: "gen_ai.operation.name", value: { stringValue: "execute_tool" } },
                    { key: "gen_ai.tool.name", value: { stringValue: "it__echo" } },
                    { key: "gen_ai.tool.call.id", value: { stringValue: "1" } },
                    { key: "toolcrib.result", value: { stringValue: "success" } },
                    { key: "toolcrib.decision", value: { stringValue: "allow" } },
                    { key: "toolcrib.decision.code", value: { stringValue: "permission.allowed" } },
                  ],
                  status: { code: 1 },
                },
              ],
            },
          ],
        },
      ],
    });
    expect(JSON.stringify(received)).not.toContain("canary");
    expect([traces.exported, traces.dropped]).toEqual([1, 0]);
  });

  test("of calls without a caller's trace begin one, and say what failed", async () => {
    const { origin, spans } = await collector();
    const traces = open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${origin}/own` });
    traces.record("s", completed("1", "denied"));
    traces.record("s", completed("2", "denied"));
    await traces.close();
    expect(spans()).toHaveLength(2);
    expect(spans()[0]).toMatchObject({ traceId: HEX(32), status: { code: 2, message: "denied" } });
    expect(spans()[0]).not.toHaveProperty("parentSpanId");
    expect(new Set(spans().map((span) => Reflect.get(span, "traceId"))).size).toBe(2);
  });

  test("follow the caller who keeps no trace, and keep equal ids of two sessions apart", async () => {
    const { origin, spans } = await collector();
    const traces = open({ OTEL_EXPORTER_OTLP_ENDPOINT: origin });
    traces.record("two", allowed("1"));
    traces.record("one", completed("1", "success", { traceparent: PARENT.replace(/01$/, "00") }));
    traces.record("three", completed("1", "success", { traceparent: PARENT }));
    await traces.close();
    expect(spans()).toMatchObject([{ parentSpanId: "b7ad6b7169203331" }]);
    expect(JSON.stringify(spans())).not.toContain("toolcrib.decision");
  });

  test("go out by themselves, in batches, and never hold anybody up", async () => {
    const { origin, received, spans } = await collector();
    const traces = open({ OTEL_EXPORTER_OTLP_ENDPOINT: origin }, { delay: 1 });
    for (let at = 0; at < 700; at++) traces.record("s", completed(String(at)));
    await expect.poll(() => traces.exported, { timeout: 9_000 }).toBe(700);
    expect(received.length).toBeGreaterThan(1);
    expect(spans()).toHaveLength(700);
  });

  test("that find no room or no collector are counted, and told of once", async () => {
    const errors: string[] = [];
    const { origin } = await collector(() => 503);
    const traces = open({ OTEL_EXPORTER_OTLP_ENDPOINT: origin }, { onError: (text) => void errors.push(text) });
    for (let at = 0; at < 3_000; at++) traces.record("s", completed(String(at)));
    expect(traces.dropped).toBe(3_000 - 2_048);
    await traces.close();
    await traces.close();
    expect([traces.exported, traces.dropped]).toEqual([0, 3_000]);
    expect(errors).toHaveLength(1);
    traces.record("s", completed("late"));
    expect(traces.dropped).toBe(3_001);
  });
});

describe("whether traces are wanted", () => {
  test.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4317" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "file:///etc" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_SDK_DISABLED: "true" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_TRACES_EXPORTER: "none" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
  ])("not with %j", (env) => {
    expect(createTraces({ env, version: "1" })).toBeNull();
  });

  test("the address for traces counts as it is, the common one gets its path", () => {
    const read = (env: object) => readTraceSettings({ ...env }, "1")?.url;
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:1/base/" })).toBe("http://c:1/base/v1/traces");
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/x" })).toBe(
      "http://t/x",
    );
  });
});

test.each([
  [PARENT, true],
  [PARENT.replace(/01$/, "00"), false],
  ["cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later", true],
])("%s is read", (text, sampled) => {
  expect(readTraceParent(text)).toEqual({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    sampled,
  });
});

test.each([
  "",
  "x",
  PARENT.toUpperCase(),
  `${PARENT}-more`,
  PARENT.replace(/^00/, "ff"),
  PARENT.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
  PARENT.replace("b7ad6b7169203331", "0".repeat(16)),
  ` ${PARENT}`,
])("%j is no parent", (text) => {
  expect(readTraceParent(text)).toBeNull();
});
