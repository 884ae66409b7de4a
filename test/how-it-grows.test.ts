import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { AllMeasured, Curve } from "../bench/how-it-grows/curve.mjs";
import { exponentsOf } from "../bench/how-it-grows/fit.mjs";
import { findMissed, KNOWN } from "../bench/how-it-grows/known.mjs";
import { modelMachines } from "../bench/how-it-grows/model.mjs";
import { fillPage } from "../bench/how-it-grows/page.mjs";
import { toPicture } from "../bench/how-it-grows/picture.mjs";
import { describePlan, readAssumptions } from "../bench/how-it-grows/plan.mjs";
import { SCHEME_NAMES } from "../bench/how-it-grows/scheme.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGE = "docs/guides/how-it-grows.md";
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const measured: AllMeasured = JSON.parse(read("bench/curves.json"));
const names = Object.keys(measured);

/** `npm run curves -- --pictures` writes pictures and page again, `npm run curves` the measurements too. */
describe("what was measured", () => {
  test("is every curve there is, as its file describes it", async () => {
    const files = readdirSync(join(ROOT, "bench/curves"), { encoding: "utf8" }).map((file) => file.slice(0, -4));
    expect(names).toEqual(files.sort());
    for (const name of names) {
      const path = new URL(`../bench/curves/${name}.mjs`, import.meta.url).href;
      const { curve }: { curve: Curve } = await import(path);
      const { title, unit, what, lines, memory, counts, sizes } = curve;
      expect(curve.name).toBe(name);
      const also = { ...(memory === undefined ? {} : { memory }), ...(counts === undefined ? {} : { counts }) };
      expect(measured[name]).toMatchObject({ title, unit, what, lines, ...also });
      for (const point of measured[name]?.points ?? [])
        expect(Object.keys(point.counts ?? {})).toEqual(Object.keys(counts ?? {}));
      expect(measured[name]?.points.map(({ size }) => size)).toEqual(sizes);
    }
  });

  test.each(names)("%s: the pictures show it", (name) => {
    const curve = measured[name];
    if (curve === undefined) throw new Error(name);
    for (const scheme of SCHEME_NAMES)
      expect(read(`docs/images/grows-${name}-${scheme}.svg`)).toBe(toPicture(curve, scheme));
  });

  test("the page says it", () => {
    expect(read(PAGE)).toBe(fillPage(read(PAGE), measured));
  });

  test("the page shows pictures that exist", () => {
    const shown = [...read(PAGE).matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = ""]) => path);
    expect(shown).toHaveLength(2 * names.length);
    expect(shown.filter((path) => !existsSync(join(ROOT, dirname(PAGE), path)))).toEqual([]);
  });
});

describe("how fast something grows", () => {
  test("is within its limit, or known to be above it and no worse", () => {
    const worse = findMissed(measured).flatMap(({ line, exponent, limit }) => {
      const most = KNOWN[line]?.most ?? limit;
      return exponent <= most ? [] : [`${line} grows with ${exponent.toFixed(2)}; at most ${most} is held`];
    });
    expect(worse).toEqual([]);
  });

  test("is no longer called above its limit once it is within", () => {
    const missed = findMissed(measured).map(({ line }) => line);
    expect(Object.keys(KNOWN).filter((line) => !missed.includes(line))).toEqual([]);
  });

  test("has the limits that were promised", () => {
    const limitsOf = (name: string) => {
      const curve = measured[name];
      if (curve === undefined) throw new Error(name);
      return Object.fromEntries([...exponentsOf(curve)].map(([line, { limit }]) => [line, limit]));
    };
    expect(limitsOf("tools")).toMatchObject({ list: 1.05, why: 1.05, search: 1.05, judge: 1.05 });
    expect(limitsOf("rules")).toMatchObject({ first: 0.3, tool: 0.3, read: 0.3, shell: 0.3, url: 0.3 });
    // Independent of how many others there are, as far as two measurements of the same agree.
    const independent = { list: 0.1, resume: 0.1, "pg list": 0.1, "pg resume": 0.1 };
    expect(limitsOf("sessions")).toMatchObject(independent);
  });

  test("is called too fast where a figure is missing", () => {
    const tools = measured.tools;
    if (tools === undefined) throw new Error("tools");
    const points = tools.points.map((point) => ({ ...point, cpu: { ...point.cpu, judge: Number.NaN } }));
    expect(findMissed({ tools: { ...tools, points } }).map(({ line }) => line)).toContain("tools: judge");
  });
});

test("each line has a limit, but for those whose growth nobody can help", () => {
  const free = Object.entries(measured).flatMap(([name, curve]) =>
    [...exponentsOf(curve)].flatMap(([line, { limit }]) => (limit === null ? [`${name}: ${line}`] : [])),
  );
  expect(free).toEqual(["servers: idle"]);
});

test("an exponent is that of the upper part: what it costs to do anything at all does not flatten it", () => {
  const points = [1, 10, 100, 1_000, 10_000].map((size) => ({
    size,
    cpu: { straight: 50 + size, square: 50 + size ** 2, flat: 7 },
    memory: size,
  }));
  const lines = { straight: { what: "" }, square: { what: "", limit: 1.5 }, flat: { what: "" } };
  const facts = { title: "", unit: "", what: "", lines, memory: { what: "", limit: 1.05 }, machine: "" };
  const exponents = exponentsOf({ ...facts, points });
  expect(exponents.get("straight")?.exponent).toBeCloseTo(0.91, 1);
  expect(exponents.get("square")).toEqual({ exponent: expect.closeTo(2, 2), limit: 1.5 });
  expect(exponents.get("flat")?.exponent).toBeCloseTo(0, 5);
  expect(exponents.get("memory")).toEqual({ exponent: expect.closeTo(1, 5), limit: 1.05 });
});

test("machines that share cores: what is computed for the largest number is what was measured, if it keeps to the model", () => {
  const each = (machines: number) => 2 + 0.1 * Math.max(0, machines - 2);
  const points = [1, 2, 4, 8].map((size) => {
    const second = Math.min(size * 700, 2_000 / each(size));
    return { size, cpu: {}, counts: { second, used: (second * each(size)) / 1_000 } };
  });
  const facts = { title: "", unit: "", what: "", lines: {}, machine: "Node, 2 cores, linux" };
  const model = modelMachines({ ...facts, points });
  expect(model.fitted).toEqual([1, 2, 4]);
  expect(model.off).toBeCloseTo(0, 5);
  const [first, second, third, last] = points;
  if (first === undefined || second === undefined || third === undefined || last === undefined) throw new Error("?");
  const slower = { ...last, counts: { ...last.counts, second: last.counts.second / 2 } };
  expect(modelMachines({ ...facts, points: [first, second, third, slower] }).off).toBeCloseTo(1, 5);
});

describe("a plan", () => {
  const rowsOf = (...words: string[]) =>
    new Map(
      describePlan(measured, readAssumptions(words))
        .split("\n")
        .filter((line) => line.startsWith("| "))
        .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "")) as [string, string]),
    );

  test("follows what is assumed", () => {
    expect(rowsOf("people=1200", "calls=30").get("calls a second in the busiest hour")).toBe("10");
    expect(rowsOf("people=1200", "calls=90").get("calls a second in the busiest hour")).toBe("30");
  });

  test("needs more machines for more calls, and never fewer than two", () => {
    const machines = (...words: string[]) => Number(rowsOf(...words).get("machines, one of which may fail"));
    expect(machines("people=1", "calls=1")).toBe(2);
    expect(machines("people=10000", "calls=300")).toBeGreaterThan(machines("people=10000", "calls=30"));
  });

  test("says what can be assumed where something else is", () => {
    expect(() => readAssumptions(["cals=3"])).toThrow("calls=");
    expect(() => readAssumptions(["calls=many"])).toThrow("calls=");
  });
});
