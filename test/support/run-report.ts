import type { Reporter, TestCase, TestModule } from "vitest/node";
import { howToHave, type Program } from "./machine.ts";

const SLOW_MS = 5_000;
const MOST_NAMED = 15;

interface Slow {
  readonly name: string;
  readonly ms: number;
}

/** Ends a run with what passed only the second time, with what was skipped for want of a program and how to have it, and with the tests that took longest. */
export class RunReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const lines = [...describeUnlucky(tests), ...describeSkipped(tests), ...describeSlow(tests)];
    if (lines.length > 0) process.stdout.write(`\n${lines.join("\n")}\n`);
  }
}

function describeUnlucky(tests: readonly TestCase[]): readonly string[] {
  const unlucky = tests.filter((test) => test.result().state === "passed" && (test.diagnostic()?.retryCount ?? 0) > 0);
  if (unlucky.length === 0) return [];
  const rows = unlucky.map((test) => `  ${test.module.relativeModuleId} > ${test.fullName}`);
  return ["Failed, and passed when tried again; find out why:", ...rows];
}

function describeSkipped(tests: readonly TestCase[]): readonly string[] {
  const counts = new Map<Program, number>();
  for (const test of tests) {
    for (const program of missingFor(test)) counts.set(program, (counts.get(program) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const rows = [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([program, count]) => {
      return `  ${program}: ${count} ${count === 1 ? "test" : "tests"}; to run them, ${howToHave(program)}`;
    });
  return ["Skipped, because this machine lacks a program:", ...rows];
}

/** Of the test itself, or of a suite that it is in. */
function missingFor(test: TestCase): readonly Program[] {
  const found = new Set<Program>(test.meta().missing);
  for (let at = test.parent; at.type === "suite"; at = at.parent) {
    for (const program of at.meta().missing ?? []) found.add(program);
  }
  return [...found];
}

function describeSlow(tests: readonly TestCase[]): readonly string[] {
  const slow = tests
    .map(
      (test): Slow => ({
        name: `${test.module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      }),
    )
    .filter(({ ms }) => ms >= SLOW_MS)
    .sort((a, b) => b.ms - a.ms)
    .slice(0, MOST_NAMED);
  if (slow.length === 0) return [];
  const rows = slow.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}`);
  return [`Slow tests (over ${SLOW_MS / 1000} s):`, ...rows];
}
