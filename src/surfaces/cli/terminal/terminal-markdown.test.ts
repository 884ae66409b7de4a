import fc from "fast-check";
import { expect, test } from "vitest";
import { createStyle } from "./style.ts";
import { createTerminalMarkdown } from "./terminal-markdown.ts";

const COLOURED = createStyle({ env: {}, isTTY: true });
const PLAIN = createStyle({ env: { NO_COLOR: "1" }, isTTY: true });

function show(text: string, style = COLOURED, columns = 40): string {
  const markdown = createTerminalMarkdown(style, () => columns);
  return markdown.push(text) + markdown.end();
}

const on = (code: number, text: string, off: number) => `\u001b[${code}m${text}\u001b[${off}m`;

test.each([
  ["# Plan #", on(1, "Plan", 22)],
  ["# What is here?", on(1, "What is here?", 22)],
  ["a **bold** word", `a ${on(1, "bold", 22)} word`],
  ["an *old* _one_", `an ${on(3, "old", 23)} ${on(3, "one", 23)}`],
  ["`a *b* c`", on(36, "a *b* c", 39)],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["[docs](https://a.test/x)", `${on(4, "docs", 24)}${on(2, " (https://a.test/x)", 22)}`],
  ["  - one", "  • one"],
  ["1. one", "1. one"],
  ["---", on(2, "─".repeat(39), 22)],
  ["> said", `${on(2, "│ ", 22)}said`],
  ["an open `tick and **star", "an open `tick and **star"],
])("%s", (text, shown) => {
  expect(show(text)).toBe(`${shown}\n`);
});

test("long lines are broken between words, and what belongs to an item stands below it", () => {
  expect(show("- one two three four five six seven", COLOURED, 20)).toBe("• one two three\n  four five six\n  seven\n");
});

test("code stays as it is, in one colour, and nothing in it is Markdown", () => {
  const code = on(36, "- **a** | b", 39);
  expect(show("```ts\n- **a** | b\n```\nx")).toBe(`${on(2, "```ts", 22)}\n${code}\n${on(2, "```", 22)}\nx\n`);
});

test("a table has columns of one width, and one that does not fit stays as it was written", () => {
  const table = "| a | b |\n|---|---|\n| long one | c |\n";
  const rule = on(2, "────────  ─", 22);
  expect(show(table)).toBe(`${on(1, "a", 22)}         ${on(1, "b", 22)}\n${rule}\nlong one  c\n`);
  expect(show(table, COLOURED, 10)).toBe(table);
});

test("without colour the text stays as the model wrote it", () => {
  expect(show("# A\n**b** `c`\n", PLAIN)).toBe("# A\n**b** `c`\n");
});

test("a line is given once it is whole, and until then as it came", () => {
  const markdown = createTerminalMarkdown(COLOURED, () => 40);
  expect([markdown.push("so **bo"), markdown.unfinished]).toEqual(["", "so **bo"]);
  expect(markdown.push("ld**\nand")).toBe(`so ${on(1, "bold", 22)}\n`);
  expect([markdown.end(), markdown.unfinished]).toEqual(["and\n", ""]);
});

test("nothing that a model says reaches the terminal as anything but text and colours of ours", () => {
  const nasty = fc.constantFrom(
    "\u001b[31m",
    "\u001b]0;t\u0007",
    "\u009b2J",
    "\r",
    "\b",
    "\u0000",
    "\u202e",
    "**",
    "`",
    "|",
    "\n",
    "# ",
    "a",
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may remain.
  const ours = /\u001b\[(?:1|2|3|4|9|22|23|24|29|36|39)m/g;
  fc.assert(
    fc.property(fc.array(fc.array(nasty)), (pieces) => {
      const markdown = createTerminalMarkdown(COLOURED, () => 40);
      const all = pieces.map((piece) => markdown.push(piece.join("")) + markdown.unfinished).join("") + markdown.end();
      expect(all.replace(ours, "")).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    }),
  );
});
