import { expect, test } from "vitest";
import { either, flag, list, map, record, text } from "../../core/shape/shape.ts";
import { listDecisions } from "./trust-table.ts";

test("somebody decided about every key what it may do before it is trusted, and why", () => {
  const decisions = listDecisions();
  expect(decisions.filter(({ decision }) => decision === null)).toEqual([]);
  for (const { path, decision, atOnce } of decisions)
    expect([path, atOnce !== null]).toEqual([path, decision === "for some values" || decision === "only narrows"]);
});

test("a setting that says nothing about trust is found, in whatever it stands", () => {
  const inside = record({ url: text(), list: list(record({ key: either([text(), flag()]) })) });
  const shape = record({ old: flag({ trust: { what: "old" } }), fresh: map(inside) });
  expect(listDecisions(shape)).toEqual([
    { path: "old", decision: "needed", atOnce: null },
    { path: "fresh.<name>.url", decision: null, atOnce: null },
    { path: "fresh.<name>.list[].key", decision: null, atOnce: null },
  ]);
});

// What counts of a project that nobody trusts. A line more is a hole until somebody has shown that it is none.
test("these are all settings of which a project that nobody trusts decides anything", () => {
  expect(listDecisions().flatMap(({ path, atOnce }) => (atOnce === null ? [] : [path]))).toEqual([
    "$schema",
    "toolsets.<name>",
    "builtins",
    "disabledServers",
    "disabledSkills",
    "agents[]",
    "defaultAgent.excludedTools",
    "includeTools",
    "excludeTools",
    "availableTools",
    "excludedTools",
    "toolGroups",
    "features.<name>",
    "skillToolPolicy",
    "toolSearch",
    "code",
    "permissions.mode",
    "permissions.ask[]",
    "permissions.deny[]",
    "permissions.sandboxed",
    "permissions.hostTools",
    "sandbox.shell",
    "sandbox.allowHostShell",
    "gateway.host",
    "gateway.approvals",
    "gateway.builtins",
  ]);
});
