import { describe, expect, test } from "vitest";
import { MCP_LIMITS } from "../mcp/limits.ts";
import { admitAttempt, type Breaker, CLOSED_BREAKER, settleCall } from "./breaker.ts";

describe("breaker", () => {
  const settle = (breaker: Breaker, outcome: "answered" | "timeout" | "neither", now = 0) =>
    settleCall(breaker, outcome, now, MCP_LIMITS);

  test("three time-outs in a row open it, an answer in between starts again, a cancelled call says nothing", () => {
    const two = settle(settle(CLOSED_BREAKER, "timeout"), "timeout");
    expect(settle(settle(two, "answered"), "timeout")).toEqual({ state: "closed", timeouts: 1 });
    expect(settle(two, "neither")).toEqual(two);
    expect(settle(two, "timeout", 500)).toEqual({ state: "open", until: 30_500 });
  });

  test("after 30 s exactly one call is let through, and decides", () => {
    const open: Breaker = { state: "open", until: 30_000 };
    expect(admitAttempt(open, 29_999)).toEqual({ admitted: false, retryIn: 1 });
    const probe = admitAttempt(open, 30_000);
    expect(probe).toEqual({ admitted: true, breaker: { state: "probing" } });
    expect(admitAttempt({ state: "probing" }, 30_000)).toEqual({ admitted: false, retryIn: null });
    expect(settle({ state: "probing" }, "answered", 30_001)).toEqual(CLOSED_BREAKER);
    expect(settle({ state: "probing" }, "timeout", 40_000)).toEqual({ state: "open", until: 70_000 });
    expect(admitAttempt(settle({ state: "probing" }, "neither", 40_000), 40_000)).toMatchObject({ admitted: true });
  });
});
