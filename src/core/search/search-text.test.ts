import { describe, expect, test } from "vitest";
import { buildCatalog } from "../catalog/catalog.ts";
import { readWorld } from "../scene/world.ts";
import { toTool } from "../tool/tool.ts";
import { buildToolset } from "../toolset/build-toolset.ts";
import type { Toolset } from "../toolset/toolset.ts";
import { createSearchText, toToolText } from "./search-text.ts";

const toSearchText = (toolset: Toolset): string => toToolText(toolset, toolset.catalog.search);

const GITHUB = ["create_issue", "list_issues", "get_pull_request", "merge_pull_request", "delete_repository"];
const mcp = (server: string, ...names: readonly string[]) =>
  names.map((name) => toTool({ name, server, source: "mcp", description: `Does ${name}` }));

function place(tools: readonly ReturnType<typeof toTool>[], options: object = {}): Toolset {
  return buildToolset(buildCatalog(tools), readWorld({ options: { toolSearch: "on", ...options } }, "test").scene);
}

describe("what tool_search says of itself", () => {
  test("names the servers behind it and what they are about", () => {
    const text = toSearchText(place([...mcp("slack", "send_message", "list_channels"), ...mcp("github", ...GITHUB)]));
    expect(text).toContain("Query with words");
    expect(text).toMatch(/Behind it: github \(.*pull.*request.*\); slack \(.*channel.*message.*\)\.$/);
  });

  test("tells nothing of what is hidden: neither a server nor a word of a name (P3)", () => {
    const tools = [...mcp("github", ...GITHUB), ...mcp("vault", "read_secret")];
    const text = toSearchText(place(tools, { excludeTools: ["vault/*", "github/delete_repository"] }));
    expect(text).toContain("github");
    expect(text).not.toMatch(/vault|secret|repository/);
  });

  test("stays the same, byte for byte, while servers stay: tools come, go and are loaded", () => {
    const describeIt = createSearchText();
    const before = describeIt(place(mcp("github", ...GITHUB)));
    const more = mcp("github", ...GITHUB, "list_gists", "create_gist", "star_gist", "fork_gist");
    expect(describeIt(place(more))).toBe(before);
    const promoted = { catalogHash: buildCatalog(more).hash, names: ["github__list_gists", "github__create_issue"] };
    expect(describeIt(place(more, { promoted }))).toBe(before);
    expect(describeIt(place(mcp("github", ...GITHUB.slice(0, 4)))).includes("repository")).toBe(false);
    expect(describeIt(place([...more, ...mcp("slack", "send_message")]))).toContain("slack (message)");
  });

  test("has an end, however many servers there are", () => {
    const servers = Array.from({ length: 400 }, (_, at) =>
      mcp(`server-${at}`, "make_thing", "take_other_thing"),
    ).flat();
    const text = toSearchText(place(servers, { model: { maxTools: 10_000 } }));
    expect(text.length).toBeLessThan(2_100);
    expect(text).toMatch(/; and \d+ more\.$/);
  });

  test("leaves a host's own search tool its own words", () => {
    const own = toTool({ name: "tool_search", source: "builtin", description: "Ours." });
    expect(toSearchText(place([own, ...mcp("github", ...GITHUB)]))).toBe("Ours.");
  });
});
