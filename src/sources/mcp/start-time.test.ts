import { describe, expect, test } from "vitest";
import { readEndpoint } from "./server-spec.ts";
import { fetcherOf, startTimeoutOf } from "./start-time.ts";

const entry = (command: string, more: object = {}) => ({ command, ...more });
const timeOf = (spec: object) => startTimeoutOf(spec, readEndpoint("s", spec), 60_000);

describe("how long a server may take to start", () => {
  test.each([
    ["npx", "npx"],
    ["/usr/local/bin/npx", "npx"],
    ["C:\\Program Files\\nodejs\\npx.cmd", "npx"],
    ["NPX.CMD", "npx"],
    ["uvx", "uvx"],
    ["docker", "docker"],
    ["bunx", "bunx"],
    ["/opt/pipx", "pipx"],
    ["node", null],
    ["npx-like", null],
  ])("%s may be downloading: %s", (command, fetcher) => {
    expect(fetcherOf(readEndpoint("s", entry(command)))).toBe(fetcher);
    expect(timeOf(entry(command))).toBe(fetcher === null ? 60_000 : 180_000);
  });

  test("its entry has the last word", () => {
    expect(timeOf(entry("npx", { startTimeout: 5_000 }))).toBe(5_000);
    expect(timeOf(entry("node", { startTimeout: 300_000 }))).toBe(300_000);
    expect(timeOf({ url: "https://x.test/mcp" })).toBe(60_000);
  });
});
