import { expect, test } from "vitest";
import { guessShownName, toShownName } from "./shown-name.ts";

test.each(["my_hub__create", "my_hub-create", "mcp__my_hub__create"])("%s is a tool of its server", (wireName) => {
  expect(toShownName(wireName, "my_hub")).toBe("my_hub/create");
  expect(toShownName(wireName, "other")).toBe(wireName);
});

test.each([
  ["github__create_issue", "github/create_issue"],
  ["mcp__github__create__x", "github/create__x"],
  ["bash", "bash"],
  ["__odd", "__odd"],
])("without its server %s reads %s", (wireName, shown) => {
  expect(guessShownName(wireName)).toBe(shown);
});
