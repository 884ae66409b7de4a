import { describe, expect, test } from "vitest";
import { CURRENT_SCENE, isWhatIf, readAddress, takeToken, toFragment } from "./address.ts";

describe("an address", () => {
  test("leads back to the same panel, scene, tool and question", () => {
    const address = {
      panel: "search" as const,
      scene: { ...CURRENT_SCENE, mode: "plan", exclude: "github/*,a b", client: "c1" },
      tool: "weather__<b>&=?#",
      run: "1f0c & more",
      query: "create an issue? #1 & more",
    };
    expect(readAddress(toFragment(address))).toEqual(address);
  });

  test.each(["", "#", "#/", "#/nothing?x=1", "#/../../etc"])("%j is the overview", (fragment) => {
    expect(readAddress(fragment)).toEqual({
      panel: "overview",
      scene: CURRENT_SCENE,
      tool: null,
      run: null,
      query: "",
    });
  });

  test("another client's view alone is no what-if", () => {
    expect(isWhatIf({ ...CURRENT_SCENE, client: "c1" })).toBe(false);
    expect(isWhatIf({ ...CURRENT_SCENE, include: "view" })).toBe(true);
  });
});

describe("the token", () => {
  test.each([
    ["#token=abc", { token: "abc", rest: "" }],
    ["#token=a%2Bb%3D", { token: "a+b=", rest: "" }],
    ["#/calls?token=abc", { token: "abc", rest: "#/calls" }],
    ["#/tools?mode=plan&token=abc&tool=view", { token: "abc", rest: "#/tools?mode=plan&tool=view" }],
  ])("is taken out of %s", (fragment, taken) => {
    expect(takeToken(fragment)).toEqual(taken);
  });

  test.each(["", "#token=", "#/tools?mode=plan", "#/tools?q=token"])("is not in %j", (fragment) => {
    expect(takeToken(fragment)).toBeNull();
  });
});
