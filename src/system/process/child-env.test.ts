import { expect, test } from "vitest";
import { buildChildEnv } from "./child-env.ts";

test("a child gets the harmless variables of its parent and none of the secrets", () => {
  const parent = {
    PATH: "/bin",
    HOME: "/home/a",
    LC_ALL: "C",
    TZ: "UTC",
    API_TOKEN: "s3cret",
    PATHOLOGY: "x",
    LCX: "y",
  };
  expect(buildChildEnv(parent)).toEqual({ PATH: "/bin", HOME: "/home/a", LC_ALL: "C", TZ: "UTC" });
});

test("what is configured is added and wins", () => {
  expect(buildChildEnv({ PATH: "/bin" }, { PATH: "/opt", TOKEN: "meant" })).toEqual({ PATH: "/opt", TOKEN: "meant" });
});

test("a value that bash would run as a function stays behind", () => {
  expect(buildChildEnv({ TERM: "() { :; }; echo run", USER: undefined })).toEqual({});
});
