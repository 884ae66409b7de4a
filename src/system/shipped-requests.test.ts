import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { shippedRequests } from "./shipped-requests.ts";

const FOLDER = new URL("../../requests/", import.meta.url);
const FILES = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), "utf8") }));

test("requests ship for at least 60 servers, in at most 400 KB", () => {
  expect(FILES.length).toBeGreaterThanOrEqual(60);
  expect(FILES.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(400_000);
});

test.each(FILES)("$name has a line about the product, and five to eight requests for each tool", ({ text }) => {
  const lines = text.trim().split("\n");
  expect(lines[0]).toMatch(/^# /);
  expect(lines[1]).toMatch(/^about: \S/);
  const odd = lines.slice(2).filter((line) => {
    const [names = "", requests = ""] = line.split(/: (.*)/);
    const all = requests.split("; ");
    return !/^[\w, -]+$/.test(names) || all.length < 5 || all.length > 8 || new Set(all).size < all.length;
  });
  expect(odd).toEqual([]);
});

test("the tools of a server under any name get their requests", () => {
  const tools = [
    { name: "create_entities", description: "Create multiple new entities in the knowledge graph" },
    { name: "read_graph", description: "Read the entire knowledge graph" },
  ].map((tool) => ({ ...tool, server: "brain", inputSchema: null }));
  const requests = [...shippedRequests().match(tools).values()];
  expect(requests.map(([first]) => first)).toEqual(["remember this person", "what do you remember"]);
});
