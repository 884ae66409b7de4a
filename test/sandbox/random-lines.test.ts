import { describe, expect, test } from "vitest";
import { randomLines, readersOf } from "../../bench/random-lines.mjs";
import { findChanging, LINKS } from "../../bench/run-read-only.mjs";
import { decide } from "../../src/core/rules/decide.ts";
import { fromSymlinks } from "../../src/core/rules/paths.ts";
import { PROGRAMS } from "../../src/core/rules/programs/programs.ts";
import { createShellReader } from "../../src/system/shell/read-command-line.ts";
import { findWorking, needs } from "../support/machine.ts";

const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: fromSymlinks(LINKS, "/w") };
const SEED = Number(process.env.SEED ?? 13);
const RUNS = Number(process.env.RUNS ?? 2_000);
const READERS = readersOf(PROGRAMS);
const { read } = await createShellReader();

function onlyReads(line: string): boolean {
  const subject = { kind: "shell", line: read(line) } as const;
  const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
  const context = { ...WORLD, mode: "default", allowReadOnly: true } as const;
  return decide(call, { deny: [], ask: [], allow: [] }, context).decision === "allow";
}

describe(`of random lines (SEED=${SEED})`, () => {
  test("what counts as reading changes no file and starts nothing else", {
    ...needs("bwrap"),
    timeout: 600_000,
  }, () => {
    const reading = randomLines(SEED, RUNS, READERS).filter(onlyReads);
    // A generator of nothing but nonsense would prove nothing.
    expect(reading.length).toBeGreaterThan(RUNS / 10);
    expect(findChanging(reading, READERS.keys(), findWorking("bwrap") ?? "bwrap")).toEqual([]);
  });

  test("a line that writes or starts something is seen", { ...needs("bwrap") }, () => {
    const lines = [
      "cat a.txt",
      "echo x > new",
      "sort -o b.txt a.txt",
      "git grep -Otouch alpha",
      "/bin/sh -c ls",
      "ls -la",
    ];
    const changing = findChanging(lines, READERS.keys(), findWorking("bwrap") ?? "bwrap");
    expect(changing.map(({ line }) => line)).toEqual(lines.slice(1, 5));
  });
});
