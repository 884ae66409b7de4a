import { describe, expect, test } from "vitest";
import type { ParameterStyle } from "./operation.ts";
import { writePairs, writeText } from "./write-value.ts";

const LIST = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };

describe("values are written as the specification's table has it", () => {
  test.each<[ParameterStyle, boolean, unknown, string]>([
    ["matrix", false, "blue", ";color=blue"],
    ["matrix", false, LIST, ";color=blue,black,brown"],
    ["matrix", false, OBJECT, ";color=R,100,G,200,B,150"],
    ["matrix", true, LIST, ";color=blue;color=black;color=brown"],
    ["matrix", true, OBJECT, ";R=100;G=200;B=150"],
    ["label", false, "blue", ".blue"],
    ["label", false, LIST, ".blue,black,brown"],
    ["label", false, OBJECT, ".R,100,G,200,B,150"],
    ["label", true, LIST, ".blue.black.brown"],
    ["label", true, OBJECT, ".R=100.G=200.B=150"],
    ["simple", false, LIST, "blue,black,brown"],
    ["simple", false, OBJECT, "R,100,G,200,B,150"],
    ["simple", true, OBJECT, "R=100,G=200,B=150"],
  ])("%s, explode %s: %j in a path", (style, explode, value, expected) => {
    expect(writeText("color", value, { style, explode, allowReserved: false })).toBe(expected);
  });

  test.each<[ParameterStyle, boolean, unknown, string]>([
    ["form", true, "blue", "color=blue"],
    ["form", true, "", "color="],
    ["form", true, LIST, "color=blue&color=black&color=brown"],
    ["form", true, OBJECT, "R=100&G=200&B=150"],
    ["form", false, LIST, "color=blue,black,brown"],
    ["form", false, OBJECT, "color=R,100,G,200,B,150"],
    ["spaceDelimited", false, LIST, "color=blue%20black%20brown"],
    ["spaceDelimited", false, OBJECT, "color=R%20100%20G%20200%20B%20150"],
    ["pipeDelimited", false, LIST, "color=blue%7Cblack%7Cbrown"],
    ["deepObject", true, OBJECT, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    ["deepObject", true, { a: { b: ["x", "y"] } }, "color%5Ba%5D%5Bb%5D=x&color%5Ba%5D%5Bb%5D=y"],
  ])("%s, explode %s: %j in a query", (style, explode, value, expected) => {
    const pairs = writePairs("color", value, { style, explode, allowReserved: false });
    expect(pairs.map((pair) => pair.join("=")).join("&")).toBe(expected);
  });

  test("what has a meaning in an address is written out, unless the parameter may hold it", () => {
    const written = (allowReserved: boolean) =>
      writePairs("p", "/a?b=c&d#e f", { style: "form", explode: true, allowReserved });
    expect(written(false)).toEqual([["p", "%2Fa%3Fb%3Dc%26d%23e%20f"]]);
    expect(written(true)).toEqual([["p", "/a?b%3Dc%26d%23e%20f"]]);
  });
});
