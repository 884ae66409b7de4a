import { describe, expect, test } from "vitest";
import { toListedItem } from "./listed-item.ts";

describe("an item of a server's list", () => {
  test("that is right stays the very same, with fields that nobody knows yet", () => {
    const prompt = {
      name: "p",
      title: "P",
      description: "…",
      arguments: [{ name: "a", required: true, later: 1 }],
      icons: [{ src: "data:", sizes: ["any"], theme: "dark" }],
      _meta: { a: 1 },
      later: { a: 1 },
    };
    expect(toListedItem(prompt, "name")).toBe(prompt);
    const annotations = { audience: ["user"], priority: 0.5, lastModified: "2026-01-01" };
    const resource = { uri: "a:b", name: "n", mimeType: "text/plain", size: 3, annotations };
    expect(toListedItem(resource, "uri")).toBe(resource);
  });

  test.each([
    ["title", 5],
    ["description", null],
    ["mimeType", {}],
    ["size", "3"],
    ["_meta", 5],
    ["_meta", [1]],
    ["arguments", "x"],
    ["arguments", [{ name: 5 }]],
    ["arguments", [null]],
    ["arguments", [{ name: "a", required: "yes" }]],
    ["annotations", { audience: "user" }],
    ["annotations", { priority: 7 }],
    ["icons", [{}]],
    ["icons", [{ src: "x", theme: "blue" }]],
  ])("loses a field that clients would refuse the whole list for: %s %j", (field, value) => {
    expect(toListedItem({ name: "p", [field]: value }, "name")).toEqual({ name: "p" });
  });

  test("without what it is called by is none, and a resource without a name is called by its address", () => {
    for (const item of [null, 5, "x", [], {}, { name: 5 }]) expect(toListedItem(item, "name")).toBeNull();
    expect(toListedItem({ uri: "a:b" }, "uri")).toEqual({ uri: "a:b", name: "a:b" });
    expect(toListedItem({ uriTemplate: "a:{b}", name: 5 }, "uriTemplate")).toEqual({
      uriTemplate: "a:{b}",
      name: "a:{b}",
    });
  });
});
