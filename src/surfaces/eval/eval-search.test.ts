import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../test/support/run-cli.ts";
import { scoreQuery } from "./search-metrics.ts";

const CATALOG = [
  { name: "create_issue", server: "github", description: "Opens an issue", inputSchema: { type: "object" } },
  { name: "get_forecast", server: "weather", description: "Weather of the coming days", inputSchema: null },
  { name: "read_mail", description: "Reads a message" },
];
const QUERIES = [
  { id: "1", query: "open an issue", gold: ["create_issue"] },
  {
    id: "2",
    query: "what will the weather be",
    gold: ["get_forecast", "get_weather"],
    goldGroups: [["get_forecast", "get_weather"]],
  },
  { id: "3", query: "unrelated zebra", gold: ["read_mail"] },
];

async function evaluate(catalog: string, queries: string, ...more: readonly string[]) {
  const cwd = mkdtempSync(join(tmpdir(), "toolcrib-eval-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "c.jsonl"), catalog);
  writeFileSync(join(cwd, "q.jsonl"), queries);
  return runCli(["eval", "search", "--catalog", "c.jsonl", "--queries", "q.jsonl", ...more], { cwd });
}
const toLines = (rows: readonly object[]): string => `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;

describe("eval search", () => {
  test("counts the requests that ship, unless it is to do without them", async () => {
    const catalog = toLines([{ name: "merge_pull_request", server: "gh", description: "GitHub: merges a change" }]);
    const queries = toLines([
      { id: "1", query: "squash", gold: ["merge_pull_request"] },
      { id: "2", query: "accept", gold: ["merge_pull_request"] },
    ]);
    const recall = async (...more: readonly string[]) =>
      JSON.parse((await evaluate(catalog, queries, "--json", ...more)).out.trim().split("\n").at(-1) ?? "").summary[
        "recall@1"
      ];
    expect(await recall()).toBe(1);
    expect(await recall("--without-requests")).toBe(0.5);
  });

  test("prints a line for each query in order and then the summary", async () => {
    const { status, out, err } = await evaluate(toLines(CATALOG), toLines(QUERIES), "--limit", "1", "--json");
    expect([status, err]).toEqual([0, ""]);
    const lines = out.trim().split("\n");
    expect(lines.slice(0, 3).map((line) => JSON.parse(line))).toEqual([
      { id: "1", results: ["create_issue"] },
      { id: "2", results: ["get_forecast"] },
      { id: "3", results: [] },
    ]);
    expect(JSON.parse(lines[3] ?? "")).toEqual({
      summary: {
        queries: 3,
        "recall@1": 0.6667,
        "recall@3": 0.6667,
        "recall@5": 0.6667,
        "recall@10": 0.6667,
        "ndcg@10": 0.6667,
        mrr: 0.6667,
        p50Ms: expect.any(Number),
        p95Ms: expect.any(Number),
        indexMs: expect.any(Number),
      },
    });
  });

  test("a limit cuts what is printed and not what is measured", async () => {
    const many = Array.from({ length: 8 }, (_, at) => ({ name: `issue_${at}`, description: "issue" }));
    const query = { id: "q", query: "issue", gold: many.map(({ name }) => name) };
    const { out } = await evaluate(toLines(many), toLines([query]), "--limit", "2", "--json");
    const [first = "", summary = ""] = out.split("\n");
    expect(JSON.parse(first).results).toHaveLength(2);
    expect(JSON.parse(summary).summary["recall@10"]).toBe(1);
  });

  test.each([
    ["{", toLines(QUERIES), "c.jsonl:1: every line must be a JSON object"],
    [toLines(CATALOG), '{"id":"1","query":"x"}', 'q.jsonl:1: "gold" must be a list of strings'],
    [toLines([{ name: 3 }]), "", 'c.jsonl:1: "name" must be a string'],
  ])("a wrong line is told with its place, status 3", async (catalog, queries, text) => {
    const { status, out } = await evaluate(catalog, queries, "--json");
    expect(JSON.parse(out)).toEqual({ error: { code: "eval.invalid", text } });
    expect(status).toBe(3);
  });

  test("what is missing on the command line is told, status 2", async () => {
    expect(await runCli(["eval", "search", "--catalog", "c"])).toMatchObject({ status: 2 });
    expect((await runCli(["eval", "serach"])).err).toContain('did you mean "search"?');
    expect(await evaluate("", "", "--limit", "0")).toMatchObject({ status: 2 });
  });
});

describe("the measures", () => {
  test("a group counts once, at its first member", () => {
    const { ndcg, recall, reciprocalRank } = scoreQuery(["x", "b", "a"], [["a", "b"]]);
    expect(ndcg).toBeCloseTo(1 / Math.log2(3));
    expect([recall.get(1), recall.get(3), reciprocalRank]).toEqual([0, 1, 0.5]);
  });

  test("the best order scores one, whatever the number of groups", () => {
    expect(scoreQuery(["a", "b"], [["b"], ["a"]]).ndcg).toBe(1);
    const names = Array.from({ length: 14 }, (_, at) => `t${at}`);
    expect(
      scoreQuery(
        names,
        names.map((name) => [name]),
      ).ndcg,
    ).toBeCloseTo(1);
  });
});
