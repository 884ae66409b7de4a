import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROGRAMS } from "../programs/programs.ts";
import type { ShellWord } from "./command-line.ts";
import { programOf, subOf } from "./program.ts";
import { type Item, readCommandOptions } from "./read-options.ts";

function toWords(texts: readonly string[]): readonly ShellWord[] {
  return texts.map((text) => ({ text, isStatic: true, hasGlob: false, hasTilde: false }));
}

/** What was read, without where it stands. */
function read(...texts: readonly string[]) {
  const { items } = readCommandOptions(toWords(texts));
  return items.map(({ kind, option, word }: Item) => ({ kind, option, text: kind === "flag" ? "" : word.text }));
}

const NAMES = ["grep", "sort", "ls", "tar", "date", "sed", "head", "tail", "du", "diff", "curl", "cp", "wc", "uniq"];
const PLAIN = NAMES.flatMap((name) => {
  const program = programOf(name);
  return program === null ? [] : [program];
});
const program = fc.constantFrom(...PLAIN);

/** A program with some of its options that fit. */
function optionsOf(fits: (name: string, values: number, isOptional: boolean) => boolean) {
  const fitting = (one: (typeof PLAIN)[number]) =>
    [...one.options.values()]
      .filter(({ name, values, isOptional }) => fits(name, values.length, isOptional))
      .map(({ name }) => name);
  return fc.constantFrom(...PLAIN.filter((one) => fitting(one).length > 0)).chain((one) => {
    const names = fitting(one);
    return fc.record({ name: fc.constant(one.path), options: fc.array(fc.constantFrom(...names), { minLength: 1 }) });
  });
}

describe("however an option is written, it is the same option", () => {
  test("a cluster equals its separated options", () => {
    const flags = optionsOf((name, values) => /^-[a-zA-Z]$/.test(name) && values === 0);
    fc.assert(
      fc.property(flags, ({ name, options }) => {
        const cluster = `-${options.map((option) => option.slice(1)).join("")}`;
        expect(read(name, cluster, "x")).toEqual(read(name, ...options, "x"));
      }),
    );
  });

  test("a joined value equals the next word, at the end of a cluster too", () => {
    const valued = optionsOf((name, values, isOptional) => /^-[a-zA-Z]$/.test(name) && values === 1 && !isOptional);
    fc.assert(
      fc.property(valued, ({ name, options: [option = ""] }) => {
        expect(read(name, `${option}value`, "x")).toEqual(read(name, option, "value", "x"));
      }),
    );
  });

  test("`--x=v` equals `--x v`", () => {
    const valued = optionsOf((name, values, isOptional) => name.startsWith("--") && values === 1 && !isOptional);
    fc.assert(
      fc.property(valued, ({ name, options: [option = ""] }) => {
        expect(read(name, `${option}=value`, "x")).toEqual(read(name, option, "value", "x"));
      }),
    );
  });

  test("an abbreviation that means one option equals it", () => {
    const long = program.chain((one) => {
      const names = [...one.options.keys()].filter((name) => name.startsWith("--"));
      return fc.record({ name: fc.constant(one.path), names: fc.constant(names), at: fc.nat(), cut: fc.nat() });
    });
    fc.assert(
      fc.property(long, ({ name, names, at, cut }) => {
        const whole = names[at % names.length] ?? "";
        const short = whole.slice(0, 3 + (cut % (whole.length - 2)));
        fc.pre(names.filter((one) => one.startsWith(short)).length === 1);
        expect(read(name, short, "x")).toEqual(read(name, whole, "x"));
      }),
    );
  });

  test("behind `--` nothing is an option", () => {
    expect(read("grep", "-n", "--", "-f", "x")).toEqual([
      { kind: "flag", option: "-n", text: "" },
      { kind: "text", option: null, text: "-f" },
      { kind: "file-read", option: null, text: "x" },
    ]);
  });
});

describe("programs with ways of their own", () => {
  test.each<[string, readonly [Item["kind"], string][]]>([
    [
      "tar cfv a.tgz src",
      [
        ["archive", "a.tgz"],
        ["flag", ""],
        ["flag", ""],
        ["file-read", "src"],
      ],
    ],
    ["tsc --OUTFILE x", [["file-written-with-rule", "x"]]],
    ["tsc -outDir=x", [["file-written-with-rule", "x"]]],
    [
      "gcc -MFx -c",
      [
        ["file-written-with-rule", "x"],
        ["flag", ""],
      ],
    ],
    ["python3.11 -c x", [["script", "x"]]],
    [
      "grep x -e y z",
      [
        ["text", "y"],
        ["file-read", "x"],
        ["file-read", "z"],
      ],
    ],
    [
      "cp a b c",
      [
        ["file-copied", "a"],
        ["file-copied", "b"],
        ["file-written", "c"],
      ],
    ],
    [
      "cp -t d a b",
      [
        ["file-written", "d"],
        ["file-copied", "a"],
        ["file-copied", "b"],
      ],
    ],
    [
      "env A=1 rm x",
      [
        ["program", "rm"],
        ["environment-value", "A=1"],
      ],
    ],
    [
      "bash -xc text",
      [
        ["flag", ""],
        ["flag", ""],
        ["shell-line", "text"],
      ],
    ],
    [
      "node a.js -e x",
      [
        ["code-run", "a.js"],
        ["unknown", "-e"],
        ["unknown", "x"],
      ],
    ],
    [
      "git --no-pager log -5",
      [
        ["flag", ""],
        ["sub", "log"],
        ["flag", ""],
      ],
    ],
  ])("%s", (line, expected) => {
    const found = read(...line.split(" ")).map(({ kind, text }) => [kind, text]);
    expect(found.sort()).toEqual([...expected].sort());
  });
});

test("every line of the tables can be read, and no option stands in one without a dash", () => {
  const heads = PROGRAMS.join("\n")
    .split("\n")
    .flatMap((line) => /^([^$# ].*?)::?(?: |$)/.exec(line)?.[1]?.split("|") ?? []);
  expect(heads.length).toBeGreaterThan(300);
  for (const head of heads) {
    const [name = "", ...subs] = head.split(" ").map((part) => part.split(",")[0] ?? "");
    let found = programOf(name);
    for (const sub of subs) found = found === null || sub === "*" ? null : (subOf(found, sub) ?? found);
    for (const { name: option } of found?.options.values() ?? []) expect(option).toMatch(/^[-+]/);
  }
});
