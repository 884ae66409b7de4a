import { describe, expect, test } from "vitest";
import { withItem, withoutItem } from "./edit-list.ts";

const FILE = "toolcrib.local.yaml";

describe("an item of a list", () => {
  test.each([
    ["a file that is not there yet", "", "excludeTools:\n  - github/create_issue\n", 2],
    ["a file without the list", "agent: a # mine\n", "agent: a # mine\nexcludeTools:\n  - github/create_issue\n", 3],
    [
      "a list",
      "# why\nexcludeTools:\n  - web # no web\n",
      "# why\nexcludeTools:\n  - web # no web\n  - github/create_issue\n",
      4,
    ],
    ["a list on one line", "excludeTools: [ web ]\n", "excludeTools: [ web, github/create_issue ]\n", 1],
    ["a list that has it", "excludeTools:\n  - github/create_issue\n", "excludeTools:\n  - github/create_issue\n", 2],
  ])("is added to %s, comments stay, and its line is told", async (_, text, expected, line) => {
    expect(await withItem(text, FILE, "excludeTools", "github/create_issue")).toEqual({ text: expected, line });
  });

  test("is taken out again, with the list where it was the only one", async () => {
    const both = "# why\nexcludeTools:\n  - web\n  - a/b\nagent: x\n";
    expect(await withoutItem(both, FILE, "excludeTools", "a/b")).toMatchObject({
      text: "# why\nexcludeTools:\n  - web\nagent: x\n",
    });
    expect(await withoutItem("excludeTools:\n  - a/b\n", FILE, "excludeTools", "a/b")).toMatchObject({ text: "" });
    expect(await withoutItem("excludeTools:\n  - web\n", FILE, "excludeTools", "a/b")).toBeNull();
  });

  test("keeps a JSON file JSON", async () => {
    const { text } = await withItem('{ "agent": "x" }\n', "toolcrib.local.json", "disabledServers", "github");
    expect(JSON.parse(text)).toEqual({ agent: "x", disabledServers: ["github"] });
    const { text: fresh } = await withItem("", "toolcrib.local.json", "disabledServers", "github");
    expect(JSON.parse(fresh)).toEqual({ disabledServers: ["github"] });
  });

  test.each(["excludeTools: [", "excludeTools: { a: b }\n", "- a\n"])("leaves %j alone, and says why", async (text) => {
    await expect(withItem(text, FILE, "excludeTools", "x")).rejects.toThrow(FILE);
  });
});
