import { expect, test } from "vitest";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { createUsage } from "./usage.ts";

function ended(toolName: string, resultType: "success" | "failure" | "denied", duration: number): SessionEvent {
  const data = {
    toolCallId: "1",
    toolName,
    resultType,
    success: resultType === "success",
    duration,
    content: "12345678",
  };
  return { type: "tool.execution_complete", ephemeral: false, data } as unknown as SessionEvent; // Other fields are not read.
}

const PLACEMENTS = [
  { entry: { wireName: "github__list", identity: "github/list", tool: { server: "github", source: "mcp" } } },
  { entry: { wireName: "view", identity: "view", tool: { server: null, source: "builtin" } } },
];
const toolset = { placements: PLACEMENTS } as unknown as Parameters<ReturnType<typeof createUsage>["view"]>[0];

test("calls, failures, refusals and percentiles are counted per tool and per server", () => {
  const usage = createUsage(() => 7);
  for (let ms = 1; ms <= 100; ms += 1) usage.record(ended("github__list", "success", ms));
  usage.record(ended("github__list", "failure", 1_000));
  usage.record(ended("view", "denied", 5));
  const view = usage.view(toolset);
  expect(view.since).toBe(7);
  expect(view.total).toMatchObject({ calls: 102, errors: 1, refused: 1, tokens: 204 });
  expect(view.servers).toMatchObject([
    { name: "github", calls: 101, errors: 1, refused: 0, p50: 51, p95: 96 },
    { name: "builtin", calls: 1, errors: 0, refused: 1 },
  ]);
  expect(view.tools.map(({ name }) => name)).toEqual(["github/list", "view"]);
});

test("however many names there are, memory stays bounded and no call is lost from the total", () => {
  const usage = createUsage();
  for (let index = 0; index < 3_000; index += 1) usage.record(ended(`t${index}`, "success", 1));
  const view = usage.view(toolset);
  expect(view.tools.length).toBeLessThanOrEqual(1_001);
  expect(view.total.calls).toBe(3_000);
});

test("with nothing called there is no percentile to show", () => {
  expect(createUsage().view(toolset).total).toMatchObject({ calls: 0, p50: null, p95: null });
});
