import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileTable, readWords } from "../scripts/build/program-tables.mjs";
import { PROGRAMS } from "../src/core/rules/programs/programs.ts";

test("long words become one line for each program, which the judge reads", () => {
  const table = `
# Copies.
define HELP
  flag: --help --version

define OWN
  pattern: /^(?!\\/):,/

scp,
rcp
  only reads
  style: options-first, open-options
  language: sh
  reads its script from input
  operand: file-copied, repeated, recursive
  operand: file-written
  flag: -1 -3 --quiet
  flag, recursive, asks: -r
  text: -c -i --cipher
  text, joined: --color
  text file-read: --pair
  shell-line, first-operand: -D
  OWN: --config
  /^[a-z:,]+$/, asks: --name
  include: HELP

pip config | python -m pip config
  style: one-dash
  operand: sub-command, may-lack
  flag: -a -b
`;
  expect(compileTable(table).trim().split("\n")).toEqual([
    "$HELP --help --version",
    "$OWN /^(?!\\/):,/",
    "scp,rcp:: [so] {sh} < c*@ w -13 --quiet -r@! -ci= --cipher= --color=? --pair=tr -D^=x --config=$OWN --name!=/^[a-z:,]+$/ $HELP",
    "pip config|python -m pip config: [1] /. -a -b",
  ]);
});

test.each([
  ["cat\n  operand: fil-read", 'x.programs:2: operand: fil-read: "fil-read" is no kind; words.txt has them all'],
  ["cat\n  flag, aks: -x", 'x.programs:2: flag, aks: -x: "aks" is no mark; words.txt has them all'],
  ["cat\n  style: one", 'x.programs:2: style: one: "one" is no style; words.txt has them all'],
  ["cat\n  flag: x", "x.programs:2: flag: x: x has no dash"],
  ["cat\n  flag:", "x.programs:2: flag:: names no option"],
  ["  flag: -x", "x.programs:1: flag: -x: belongs to no program"],
  ["cat: r*", "x.programs:1: cat: r*: is no name of a program"],
])("a mistake is named with its line: %j", (text, message) => {
  expect(() => compileTable(text, "x.programs")).toThrow(message);
});

test("what a table includes is defined, once", () => {
  const text = PROGRAMS.join("");
  const defined = [...text.matchAll(/^\$([A-Z]+) /gm)].map(([, name]) => name);
  const used = [...text.matchAll(/(?<=[ =])\$([A-Z]+)/g)].map(([, name]) => name);
  expect(defined).toEqual([...new Set(defined)]);
  expect(new Set(used)).toEqual(new Set(defined));
});

test("the judge knows every kind of the words by its letter", () => {
  const kinds = [...readWords()].flatMap(([name, letter]) =>
    name.startsWith("kind ") ? [[letter, name.slice(5)]] : [],
  );
  const code = readFileSync(new URL("../src/core/rules/shell/program.ts", import.meta.url), "utf8");
  const known = /const LETTERS = \{([^}]*)\}/.exec(code)?.[1] ?? "";
  expect([...known.matchAll(/^ {2}"?(.)"?: "([\w-]+)",$/gm)].map(([, letter, word]) => [letter, word])).toEqual(kinds);
});
