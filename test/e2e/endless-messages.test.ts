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

/** What a process takes that calls the tool, so many times at once, with these arguments and then with those. */
async function costsOf(
  server: object,
  tool: string,
  args: readonly object[] = [{}],
  calls = 1,
  callTimeout = 40_000,
): Promise<readonly Cost[]> {
  const child = fork(PROBE, [JSON.stringify({ server, tool, args, calls, callTimeout })], {
    execArgv: ["--expose-gc"],
  });
  const [costs] = await once(child, "message");
  return costs;
}

function expectSmall({ extra, before, after }: Cost): void {
  expect(extra).toBeLessThan(3 * LIMIT);
  expect(after).toBeLessThan(1.2 * before);
}

/** There the connection is the message, and goes with it. */
function expectLost([cost, ...more]: readonly Cost[]): void {
  if (cost === undefined || more.length > 0) throw new Error("one call was made");
  expectSmall(cost);
  expect(cost.outcomes).toEqual(["mcp.disconnected"]);
}

describe("a message that does not end costs little memory, which is given back", () => {
  test("over http: lines, one line and ids of an event, and a document", async () => {
    const poured: readonly Poured[] = [
      ...(["lines of one event", "one line of an event", "short lines of one event"] as const),
      ...(["ids of one event", "a document"] as const),
    ];
    const server = { type: "http", url: await listenEndlessly("http") };
    const costs = await costsOf(
      server,
      "pour",
      poured.map((what) => ({ what })),
    );
    expect(costs).toHaveLength(poured.length);
    for (const cost of costs) {
      expectSmall(cost);
      expect(cost.outcomes).toEqual([expect.stringContaining("mcp.result-too-large")]);
    }
  });

  test.each<Poured>(["lines of one event", "one line of an event"])("over sse: %s", async (what) => {
    expectLost(await costsOf({ type: "sse", url: await listenEndlessly("sse") }, "pour", [{ what }]));
  });

  test("over stdio: a line", async () => {
    expectLost(await costsOf(misbehaving(), "endless"));
  });
});

test("twenty answers that each end just before the limit cost together what one does", async () => {
  const url = await listenEndlessly("http");
  const poured = [{ what: "one line of an event", megabytes: 9 }];
  const [cost] = await costsOf({ type: "http", url }, "pour", poured, 20, 4_000);
  if (cost === undefined) throw new Error("they were made");
  expectSmall(cost);
  expect(cost.outcomes).toEqual(["timeout"]);
});
