import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { UsageLimit } from "../../src/core/limits/usage-limit.ts";
import { HTTP_LIMITS } from "../../src/surfaces/http/door/limits.ts";
import { createMetrics } from "../../src/surfaces/http/metrics/metrics.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/reference/http.md");

const LIMIT: UsageLimit = {
  ...{ origin: { kind: "default" }, measure: "calls", most: 1, period: "day", each: [], profile: null },
  ...{ groups: null, clients: null, servers: null, tools: null, isSoft: false },
};

test("the reference lists every metric and no other", () => {
  const traces = () => ({ exported: 0, dropped: 0 });
  const metrics = createMetrics({
    servers: () => [],
    clients: () => 0,
    personConnections: () => 0,
    approvals: () => 0,
    limits: () => [{ limit: LIMIT, refused: 0, passed: 0 }],
    traces,
  });
  const told = [...metrics.render().matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const listed = [...page.matchAll(/^\| `((?:toolcrib|process|nodejs)_\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(told);
});

test("the reference lists every request that the page can make and no other", () => {
  const typed = read("src/surfaces/http/api/api.ts").matchAll(/^ \* (GET|POST) +(\/api\/[^\s?]+)/gm);
  const listed = page.matchAll(/^\| `(GET|POST) (\/api\/[^`?]+)/gm);
  const toText = (found: Iterable<RegExpMatchArray>) => [...found].map(([, method, path]) => `${method} ${path}`);
  expect(toText(listed)).toEqual(toText(typed));
});

test("the reference tells the limits as they are", () => {
  const {
    messageBytes,
    apiBytes,
    requestsPerSecond,
    burst,
    headTimeout,
    requestTimeout,
    connections,
    listeners,
    grace,
  } = HTTP_LIMITS;
  const text = page.replace(/\s+/g, " ");
  for (const said of [
    `above ${requestsPerSecond.toLocaleString("en")} requests a second for one token (${burst.toLocaleString("en")} at once)`,
    `above ${messageBytes / 2 ** 20} MiB for \`/mcp\`, ${apiBytes / 2 ** 10} KiB for \`/api\``,
    `${headTimeout / 1000} s for its head and ${requestTimeout / 1000} s in all`,
    `At most ${connections.toLocaleString("en")} connections are open, ${listeners} of them for events`,
    `gives running requests ${grace / 1000} s`,
  ])
    expect(text).toContain(said);
});
