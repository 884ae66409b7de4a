import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { evalScan } from "./eval-scan.ts";

const run = (path: string) => {
  const actions = new Map<string, string>();
  const summary = evalScan({
    path,
    shown: "f.jsonl",
    now: () => 0,
    onScan: (id, { action }) => actions.set(id, action),
  });
  return { summary, actions };
};

function write(...rows: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-scan-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "f.jsonl");
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  return path;
}

test.each([
  ["own-definitions.jsonl", 176, []],
  ["more-definitions.jsonl", 106, []],
])("%s: nothing benign alarms, and hardly anything is missed", (file, cases, missed) => {
  const path = fileURLToPath(new URL(`../../../../test/fixtures/security/${file}`, import.meta.url));
  const { summary, actions } = run(path);
  expect(summary).toMatchObject({ cases, right: cases - missed.length, falseAlarms: 0, missed, alarmed: [] });
  expect(actions.size).toBe(cases);
});

test("suspicious definitions have to be judged as strictly as expected, benign ones exactly so", () => {
  const tool = {
    name: "delete_all",
    description: "Deletes.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
  const row = (id: string, label: string, action: string, more: object = {}) => ({
    id,
    label,
    category: "c",
    tool,
    expect: { action },
    ...more,
  });
  const { summary } = run(
    write(
      row("a", "suspicious", "warn"),
      row("b", "suspicious", "quarantine"),
      row("c", "benign", "accept"),
      row("d", "benign", "accept", { alsoOk: ["warn"] }),
    ),
  );
  expect(summary).toMatchObject({ right: 2, recall: { c: "1/2" }, missed: ["b"], alarmed: ["c"], falseAlarms: 1 });
});

test.each([
  [{ kind: "nested-object", depth: 5_000 }, "block"],
  [{ kind: "wide-object", properties: 50_000 }, "block"],
  [{ kind: "wide-enum", values: 200_000 }, "block"],
  [{ kind: "long-description", bytes: 1_000_000 }, "block"],
  [{ kind: "nested-object", depth: 3 }, "accept"],
])("what is too large for a file is made: %j", (generate, action) => {
  expect(run(write({ id: "a", tool: { name: "x", description: "x" }, generate })).actions.get("a")).toBe(action);
});

test("a line that cannot be read is named with its number", () => {
  expect(() => run(write({ id: "a", tool: { name: "x" } }, { id: "b" }))).toThrow(
    'f.jsonl:2: "tool" must be an object',
  );
});
