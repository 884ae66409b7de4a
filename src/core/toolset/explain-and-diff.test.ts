import { describe, expect, test } from "vitest";
import { aWorld } from "../../../test/fixtures/builders.ts";
import { diffToolsets } from "./diff-toolsets.ts";
import { explain } from "./explain.ts";

const mcp = (server: string, name: string, more: object = {}) => ({ name, source: "mcp", server, ...more });
const TOOLS = [{ name: "view" }, { name: "edit" }, mcp("github", "get"), mcp("github", "put"), mcp("web", "get")];
const ask = (options: object = {}, tools: readonly object[] = TOOLS) =>
  aWorld({ tools, toolsets: [{ name: "kit", members: ["view", "github/*"] }], options });

describe("explain", () => {
  test("gives every reason with its place, every gate that passed, and all that has to change", () => {
    const world = ask({ excludeTools: ["github/*"], permissions: { deny: ["github/put"] }, mode: "plan" });
    const answer = explain(world, "github/put");
    expect(answer).toMatchObject({
      kind: "found",
      explanations: [
        {
          identity: "github/put",
          standing: "hidden",
          reasons: [
            { gate: "mode", reason: { code: "mode.not-read-only", origin: { path: "options.mode" } } },
            { gate: "filter", reason: { code: "filter.excluded", origin: { path: "options.excludeTools[0]" } } },
            {
              gate: "deny-rule",
              reason: { code: "deny-rule.matched", origin: { path: "options.permissions.deny[0]" } },
            },
          ],
        },
      ],
    });
    expect(answer.kind === "found" && answer.explanations[0]?.fixes.length).toBe(3);
    expect(answer.kind === "found" && answer.explanations[0]?.passed).not.toContain("filter");
  });

  test("answers for each tool of a set, a server or a pattern", () => {
    const ids = (name: string) => {
      const answer = explain(ask(), name);
      return answer.kind === "found" ? answer.explanations.map(({ id }) => id) : answer.kind;
    };
    expect(ids("kit")).toEqual(["view", "github/get", "github/put"]);
    expect(ids("github")).toEqual(["github/get", "github/put"]);
    expect(ids("get")).toEqual(["github/get", "web/get"]);
    expect(ids("*")).toHaveLength(5);
  });

  test("tells an unknown name from a server that is still starting", () => {
    expect(explain(ask(), "veiw")).toEqual({ kind: "unknown", nearest: ["view"] });
    expect(explain(ask({ servers: { slow: {} } }), "slow/x")).toEqual({ kind: "pending", server: "slow" });
  });

  test("explains both tools of one name", () => {
    const answer = explain(ask({}, [{ name: "t" }, { name: "t", source: "module" }]), "t");
    expect(answer.kind === "found" && answer.explanations.map(({ standing }) => standing)).toEqual([
      "visible",
      "hidden",
    ]);
  });

  test("a deferred tool has the budget as its only reason (G15)", () => {
    const answer = explain(ask({ toolSearch: "on" }), "web/get");
    expect(answer.kind === "found" && answer.explanations[0]?.reasons.map(({ gate }) => gate)).toEqual(["budget"]);
  });
});

describe("the difference of two toolsets", () => {
  test("nothing changed is nothing told", () => {
    expect(diffToolsets(ask(), ask())).toEqual([]);
  });

  test("says what became of each tool and by which gate", () => {
    const changes = diffToolsets(ask(), ask({ excludeTools: ["edit"], policy: { deniedMcpServers: ["web"] } }));
    expect(changes.map(({ identity, before, after, gained }) => [identity, before, after, gained[0]?.gate])).toEqual([
      ["edit", "visible", "hidden", "filter"],
      ["web/get", "visible", "hidden", "policy"],
    ]);
  });

  test("read backwards, what was gained is lost", () => {
    const [one, two] = [ask(), ask({ excludeTools: ["edit"] })];
    const [forth] = diffToolsets(one, two);
    const [back] = diffToolsets(two, one);
    expect(back).toMatchObject({ before: forth?.after, after: forth?.before, lost: forth?.gained, gained: [] });
  });

  test("tells what came, what went and what was redefined", () => {
    const later = [{ name: "view", description: "new" }, ...TOOLS.slice(1, 4), { name: "grep" }];
    const changes = diffToolsets(ask(), ask({}, later));
    expect(changes.map(({ identity, before, after, redefined }) => [identity, before, after, redefined])).toEqual([
      ["grep", null, "visible", false],
      ["view", "visible", "visible", true],
      ["web/get", "visible", null, false],
    ]);
  });

  test("one more reason for a tool that was hidden already is told too", () => {
    const [change] = diffToolsets(ask({ excludeTools: ["edit"] }), ask({ excludeTools: ["edit"], mode: "plan" }));
    expect(change).toMatchObject({ identity: "edit", before: "hidden", after: "hidden", gained: [{ gate: "mode" }] });
  });

  test("copies of one tool are compared each with its own", () => {
    const twice = [{ name: "t" }, { name: "t" }];
    expect(diffToolsets(ask({}, twice), ask({}, twice))).toEqual([]);
    expect(diffToolsets(ask({}, twice), ask({}, twice.slice(1)))).toHaveLength(1);
  });
});
