import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";

const read = (limits: string) => createWorkspace({ user: `gateway:\n  limits:\n    - ${limits}\n` }).load();

test("a limit has one amount, its time, and its line", async () => {
  const { gateway } = await read("{ calls: 60, per: minute }");
  expect(gateway.limits).toMatchObject([
    { measure: "calls", most: 60, period: "minute", each: ["person"], isSoft: false, origin: { line: 3 } },
  ]);
  expect((await read("{ money: 2.5, per: day, each: [], soft: true }")).gateway.limits).toMatchObject([
    { measure: "money", most: 2_500_000, each: [], isSoft: true },
  ]);
});

test("words stand for lists of one", async () => {
  const { gateway } = await read("{ atOnce: 2, each: group, group: eng, client: vscode.dev, server: red }");
  expect(gateway.limits).toMatchObject([
    { measure: "atOnce", period: null, each: ["group"], groups: ["eng"], clients: ["vscode.dev"], servers: ["red"] },
  ]);
});

test("limits of several files add up; those of a project wait until a person trusts it", async () => {
  const written = (calls: number) => `gateway: { limits: [{ calls: ${calls}, per: day }] }`;
  const { load } = createWorkspace({ user: written(5), policy: written(3), "toolcrib.yaml": written(1) });
  expect((await load()).gateway.limits.map(({ most }) => most)).toEqual([3, 5]);
});

test.each([
  ["{ per: day }", "needs exactly one of calls, atOnce, tokens, money"],
  ["{ calls: 1, tokens: 2, per: day }", "needs exactly one of calls, atOnce, tokens, money"],
  ["{ calls: 1 }", "needs a time for its calls: per minute, day or month"],
  ["{ atOnce: 1, per: day }", "has calls at once, which have no time: leave out `per`"],
  ["{ money: 1, per: day, server: red }", "belongs to no server and no tool"],
  ["{ money: 1, per: day, each: [person, tool] }", "belongs to no server and no tool"],
  ["{ calls: 1, per: day, each: group }", "names no `group`"],
  ["{ calls: 1.5, per: day }", "must be a whole number"],
  ["{ calls: 1, per: hour }", "per must be one of"],
])("what is wrong with %s is said with its line", async (limit, text) => {
  await expect(read(limit)).rejects.toThrow(`config.yaml:3: gateway.limits[0]`);
  await expect(read(limit)).rejects.toThrow(text);
});
