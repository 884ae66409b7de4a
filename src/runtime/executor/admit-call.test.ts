import { expect, test } from "vitest";
import { ALLOWED, anExecutor } from "../../../test/support/executor-harness.ts";
import type { CallPermissions, Judgement } from "./ports.ts";

const DENIED: Judgement = { kind: "denied", decision: { ...ALLOWED.decision, text: "no" }, resultType: "denied" };
const APPROVED = { ...ALLOWED, decision: { ...ALLOWED.decision, code: "permission.approved" } } as Judgement;

/** Calls a tool once, under rules that may change whenever they are asked. */
async function callUnder(permissions: CallPermissions) {
  const { executor, request } = anExecutor(
    [{ name: "write" }],
    async () => ({ textResultForLlm: "written", resultType: "success" }),
    { permissions },
  );
  const { result } = await executor.call(request, { id: "c", toolName: "write", arguments: {} });
  return result.textResultForLlm;
}

test("what somebody said yes to is judged once more before it runs, even if no rule has changed", async () => {
  expect(await callUnder({ revision: 1, judge: async () => APPROVED, again: async () => APPROVED })).toBe("written");
  const text = await callUnder({ revision: 1, judge: async () => APPROVED, again: async () => DENIED });
  expect(text).toBe("Permission denied: no.");
});

test("rules that change while a call is judged once more are heeded too", async () => {
  let revision = 1;
  const text = await callUnder({
    get revision() {
      return revision;
    },
    judge: async () => {
      revision = 2;
      return ALLOWED;
    },
    again: async () => {
      revision += 1;
      return revision === 3 ? ALLOWED : DENIED;
    },
  });
  expect(text).toContain("the rules changed, and now no");
});

test("a call does not run while the rules change without end", async () => {
  let revision = 1;
  const again = async () => {
    revision += 1;
    return ALLOWED;
  };
  const permissions = { again, judge: again };
  const text = await callUnder(Object.defineProperty(permissions, "revision", { get: () => revision }) as never); // With it.
  expect(text).toContain("the rules changed again and again");
});
