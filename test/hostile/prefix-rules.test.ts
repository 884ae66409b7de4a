import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decideCommand } from "./shell-world.ts";

const FIXTURES = new URL("../fixtures/security/", import.meta.url);
const ATTACKS: Record<"escapes" | "denied", Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL("prefix-attacks.json", FIXTURES), "utf8"),
);
const EVERYDAY: Record<"allow" | "runs" | "asks", readonly string[]> = JSON.parse(
  readFileSync(new URL("prefix-everyday.json", FIXTURES), "utf8"),
);

describe("a rule for a prefix, without a sandbox", () => {
  test.each(Object.entries(ATTACKS.escapes))(
    "%s does not cover code, files and programs from elsewhere",
    (rule, lines) => {
      const lists = { allow: [rule] };
      expect(lines.filter((line) => decideCommand(line, lists).decision === "allow")).toEqual([]);
    },
  );

  const lists = { allow: EVERYDAY.allow, deny: ["Bash(sudo:*)", "Bash(rm -rf:*)"] };

  test("covers what developers type every day", () => {
    expect(EVERYDAY.runs.filter((line) => decideCommand(line, lists).decision !== "allow")).toEqual([]);
  });

  test("asks where such a line runs, reads or writes more than its program is for", () => {
    expect(EVERYDAY.asks.filter((line) => decideCommand(line, lists).decision !== "ask")).toEqual([]);
  });
});

test.each(Object.entries(ATTACKS.denied))("%s is denied wherever a line names it to be run", (rule, lines) => {
  const lists = { allow: ["Bash"], deny: [rule] };
  expect(lines.filter((line) => decideCommand(line, lists).decision === "allow")).toEqual([]);
});

test.each([
  ["docker run", ["docker container run x", "docker --log-level debug container run x", "docker -c remote run x"]],
  ["docker container run", ["docker run x", "docker container run x"]],
  ["docker build", ["docker image build .", "docker buildx build .", "docker builder build ."]],
  ["docker rmi", ["docker image rm x", "docker image remove x"]],
  ["docker image rm", ["docker rmi x", "docker image remove x"]],
  ["docker ps", ["docker container ls", "docker container ps -a"]],
  ["podman run", ["podman container run x"]],
])("a rule that denies %s knows it under its other names", (command, lines) => {
  const lists = { allow: ["Bash"], deny: [`Bash(${command}:*)`] };
  expect(lines.filter((line) => decideCommand(line, lists).decision !== "deny")).toEqual([]);
  const others = ["docker logs x", "docker container stop x", "docker image pull x", "podman logs x"];
  expect(others.filter((line) => decideCommand(line, lists).decision !== "allow")).toEqual([]);
});
