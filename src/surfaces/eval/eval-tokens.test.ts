import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../test/support/run-cli.ts";

const CATALOG = {
  tools: Array.from({ length: 40 }, (_, at) => ({
    name: `tool_${at}`,
    description: "Returns the matching entries of the account in a stable order, with owner and state. ".repeat(3),
    inputSchema: { type: "object", properties: { query: { type: "string", description: "What to look for" } } },
  })),
};

function folder(files: Readonly<Record<string, unknown>>): string {
  const cwd = mkdtempSync(join(tmpdir(), "toolcrib-tokens-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, value] of Object.entries(files)) writeFileSync(join(cwd, name), JSON.stringify(value));
  return cwd;
}

test("every dialect costs a small share of its inline definitions once they are deferred", async () => {
  const cwd = folder({ "a.json": CATALOG, "b.json": CATALOG.tools });
  const { status, out } = await runCli(["eval", "tokens", "--catalog", "a.json", "b.json", "--json"], { cwd });
  expect(status).toBe(0);
  const { tools, tokenizer, dialects } = JSON.parse(out);
  expect([tools, tokenizer]).toEqual([80, "o200k_base"]);
  expect(dialects.map(({ dialect }: { dialect: string }) => dialect)).toEqual([
    "anthropic",
    "openai-responses",
    "openai-chat",
    "gemini",
    "ai-sdk",
    "mcp",
  ]);
  for (const { inline, deferred, share } of dialects) {
    expect(inline).toBeGreaterThan(4_000);
    expect(share).toBeCloseTo(deferred / inline, 3);
    expect(share).toBeLessThan(0.15);
  }
});

test("a file without tools is told, status 3", async () => {
  const cwd = folder({ "a.json": { other: [] }, "b.json": { tools: [{}] } });
  const eachOf = (file: string) => runCli(["eval", "tokens", "--catalog", file], { cwd });
  expect(await eachOf("a.json")).toMatchObject({ status: 3, err: expect.stringContaining('must hold a list "tools"') });
  expect(await eachOf("b.json")).toMatchObject({ status: 3, err: expect.stringContaining("tools[0] has no name") });
  expect(await eachOf("c.json")).toMatchObject({ status: 3, err: expect.stringContaining("cannot read c.json") });
  expect(await runCli(["eval", "tokens"])).toMatchObject({ status: 2 });
});

test("files belong to tokens alone", async () => {
  expect(await runCli(["eval", "search", "x.json"])).toMatchObject({ status: 2 });
});
