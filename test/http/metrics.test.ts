import { describe, expect, test } from "vitest";
import { createStamper } from "../../src/core/events/envelope.ts";
import { createMetrics } from "../../src/surfaces/http/metrics/metrics.ts";
import { entry, openInspector } from "./inspector.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/** Reads the text format as strictly as its description has it: every sample below its own family's HELP and TYPE. */
function parse(text: string): readonly Sample[] {
  expect(text.endsWith("\n")).toBe(true);
  const samples: Sample[] = [];
  const families = new Set<string>();
  let family = { name: "", type: "" };
  for (const line of text.slice(0, -1).split("\n")) {
    const [, help] = /^# HELP (\S+) \S.*$/.exec(line) ?? [];
    const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (help !== undefined) {
      expect(families.has(help), `${help} comes once`).toBe(false);
      families.add(help);
      family = { name: help, type: "" };
    } else if (typed !== undefined && type !== undefined) {
      expect(typed).toBe(family.name);
      family = { name: typed, type };
    } else samples.push(readSample(line, family));
  }
  return samples;
}

function readSample(line: string, family: { readonly name: string; readonly type: string }): Sample {
  const [, name = "", written = "", value] = LINE.exec(line) ?? [];
  expect(name, line).not.toBe("");
  const suffixes = family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  expect(suffixes.map((suffix) => family.name + suffix)).toContain(name);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let at = 0; at < written.length; at = LABEL.lastIndex) {
    const [, key = "", text = ""] = LABEL.exec(written) ?? [];
    expect(key, line).not.toBe("");
    labels[key] = text.replace(/\\(.)/g, (_, character) => (character === "n" ? "\n" : character));
  }
  return { name, labels, value: Number(value) };
}

const find = (samples: readonly Sample[], name: string, labels: object = {}): number | undefined =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;

describe("metrics", () => {
  test("count real calls by tool, result and decision, and read as Prometheus text", async () => {
    const inspector = await openInspector({
      mcpServers: { it: entry(), broken: entry({ args: [...entry().args, "exit-at-start"] }) },
      permissions: { allow: ["it/*"], deny: ["Bash(rm:*)"] },
    });
    const { crib, door } = inspector;
    for (const text of ["a", "b"]) await crib.main.call("it/echo", { text });
    await crib.main.call("nothing-of-that-name");
    await door.ask("/mcp", { token: "wrong" });
    const answer = await door.ask("/metrics");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const samples = parse(await answer.text());
    const echoed = { tool: "it__echo", result: "success", decision: "allow" };
    expect(find(samples, "toolcrib_calls_total", echoed)).toBe(2);
    expect(find(samples, "toolcrib_calls_total", { result: "failure" })).toBe(1);
    expect(find(samples, "toolcrib_call_duration_seconds_count")).toBe(3);
    expect(find(samples, "toolcrib_call_duration_seconds_bucket", { le: "+Inf" })).toBe(3);
    expect(find(samples, "toolcrib_call_inside_seconds_count")).toBe(2);
    expect(find(samples, "toolcrib_call_inside_seconds_sum")).toBeLessThan(
      find(samples, "toolcrib_call_duration_seconds_sum") ?? 0,
    );
    expect(find(samples, "toolcrib_servers", { state: "connected" })).toBe(1);
    expect(find(samples, "toolcrib_servers", { state: "failed" })).toBe(1);
    expect(find(samples, "toolcrib_clients")).toBe(0);
    expect(find(samples, "toolcrib_approvals_pending")).toBe(0);
    expect(find(samples, "toolcrib_http_requests_total", { route: "mcp" })).toBe(1);
    expect(find(samples, "toolcrib_http_refusals_total", { code: "http.unauthorized" })).toBe(1);
    expect(find(samples, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect(find(samples, "process_cpu_seconds_total")).toBeGreaterThan(0);
  });

  test("never hold more tools than they may, whatever names come", () => {
    const metrics = createMetrics({
      servers: () => [],
      clients: () => 0,
      personConnections: () => 0,
      approvals: () => 0,
      limits: () => [],
      traces: () => null,
    });
    const stamp = createStamper({ today: Date.now, newId: String });
    const data = { success: true, resultType: "success", content: "", error: null, sessionLog: null } as const;
    for (let at = 0; at < 5_000; at++) {
      const more = { arguments: {}, toolTelemetry: null, cancelledBy: null, duration: 3, sentToModel: true };
      metrics.record(
        { id: "s", label: "c" },
        stamp("tool.execution_complete", { toolCallId: String(at), toolName: `t"\\\n${at}`, ...data, ...more }),
      );
    }
    const samples = parse(metrics.render()).filter(({ name }) => name === "toolcrib_calls_total");
    expect(samples.length).toBeLessThanOrEqual(301);
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(5_000);
    expect(samples[0]?.labels.tool).toBe('t"\\\n0');
    expect(find(samples, "toolcrib_calls_total", { tool: "other" })).toBe(4_700);
  });
});
