import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { listenEndlessly, type Poured } from "../support/endless-server.ts";
import { misbehaving } from "../support/mcp-sources.ts";

const PROBE = fileURLToPath(new URL("../fixtures/memory-probe.mjs", import.meta.url));
/** The largest message, in megabytes. */
const LIMIT = 10;

beforeAll(ensureBuilt, 240_000);

interface Cost {
  readonly extra: number;
  readonly before: number;
  readonly after: number;
  readonly outcomes: readonly string[];
}

/** What a process takes that calls the tool, so many times at once. */
async function costOf(server: object, tool: string, args: object = {}, calls = 1, callTimeout = 40_000): Promise<Cost> {
  const child = fork(PROBE, [JSON.stringify({ server, tool, args, calls, callTimeout })], {
    execArgv: ["--expose-gc"],
  });
  const [cost] = await once(child, "message");
  return cost;
}

function expectSmall({ extra, before, after }: Cost): void {
  expect(extra).toBeLessThan(3 * LIMIT);
  expect(after).toBeLessThan(1.2 * before);
}

describe("a message that does not end costs little memory, which is given back", () => {
  test.each<["http" | "sse", Poured]>([
    ["http", "lines of one event"],
    ["http", "one line of an event"],
    ["http", "short lines of one event"],
    ["http", "ids of one event"],
    ["http", "a document"],
    ["sse", "lines of one event"],
    ["sse", "one line of an event"],
  ])("over %s: %s", async (type, what) => {
    const cost = await costOf({ type, url: await listenEndlessly(type) }, "pour", { what });
    expectSmall(cost);
    expect(cost.outcomes).toEqual([
      type === "sse" ? "mcp.disconnected" : expect.stringContaining("mcp.result-too-large"),
    ]);
  });

  test("over stdio: a line", async () => {
    const cost = await costOf(misbehaving(), "endless");
    expectSmall(cost);
    expect(cost.outcomes).toEqual(["mcp.disconnected"]);
  });
});

test("twenty answers that each end just before the limit cost together what one does", async () => {
  const url = await listenEndlessly("http");
  const cost = await costOf({ type: "http", url }, "pour", { what: "one line of an event", megabytes: 9 }, 20, 4_000);
  expectSmall(cost);
  expect(cost.outcomes).toEqual(["timeout"]);
});
