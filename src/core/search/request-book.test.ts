import { expect, test } from "vitest";
import { readRequestBook } from "./request-book.ts";

const BOOK = readRequestBook([
  "# One.\nabout: acme\ncreate_issue, newIssue: report a bug; open a ticket\nlist_issues: what is broken\nmerge_change: land it",
  "# Another.\nabout: tracker\ncreate_issue: file a defect with the tracker",
]);
const tool = (name: string, description: string, server = "work") => ({ name, description, server, inputSchema: null });
const asked = (...tools: readonly ReturnType<typeof tool>[]) => [...BOOK.match(tools).values()];

test("a tool is known by its name, however it is spelled, where its text names the product", () => {
  const requests = ["report a bug", "open a ticket"];
  expect(asked(tool("create_issue", "Open an issue in Acme"))).toEqual([requests]);
  expect(asked(tool("createIssue", "Open an issue in Acme"))).toEqual([requests]);
  expect(asked(tool("work__new-issue", "Open an issue in Acme"))).toEqual([requests]);
  expect(asked(tool("create_issue", "Open an issue", "my acme"))).toEqual([requests]);
});

test("of two products with the same name for a tool, the one that the text names counts", () => {
  expect(asked(tool("create_issue", "Files a defect with the Tracker"))).toEqual([["file a defect with the tracker"]]);
});

test("a foreign tool of the same name gets no requests", () => {
  expect(asked(tool("create_issue", "Prints the next number of a magazine"))).toEqual([]);
  expect(asked(tool("merge_change", "Pays coins out", "acme"))).toEqual([]);
});

test("where most tools of a server are known, the product need not be named", () => {
  const known = [
    tool("create_issue", "Open an issue"),
    tool("list_issues", "All issues that are broken"),
    tool("merge_change", "Land a change"),
  ];
  expect(asked(...known)).toHaveLength(3);
  expect(asked(...known.slice(0, 2))).toEqual([]);
  const others = ["a", "b", "c", "d"].map((name) => tool(name, "Something else"));
  expect(asked(...known, ...others)).toEqual([]);
});
