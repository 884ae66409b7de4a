import { expect, test } from "vitest";
import { alice, answerer, openWaiting, resultText } from "../../../test/support/waiting-crib.ts";
import { UNANSWERED } from "./approvals.ts";

const [ALICE, BOB] = [answerer("alice"), answerer("bob")];

test("where approvers are asked, the client's own user is not, though what no rule is about runs as before (O9)", async () => {
  const { crib, session, ask, elicited } = await openWaiting({});
  expect((await session.call("it/pids")).resultType).toBe("success");
  const { result, pending } = await ask();
  expect(elicited()).toBe(0);
  expect(pending.caller).toEqual({ issuer: alice.issuer, subject: "alice", name: "Alice" });
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect((await result).resultType).toBe("success");
});

test("nobody answers for a server that was not named to them, and the attempt is in the log (O9)", async () => {
  const { crib, ask, refused } = await openWaiting({});
  const { result, pending } = await ask();
  const other = answerer("carol", new Set(["prod"]));
  const answer = crib.approvals.answer(pending.id, { decision: "allow" }, other);
  await expect(answer).rejects.toMatchObject({ code: "approval.not-theirs" });
  expect(refused).toEqual([
    {
      principal: "carol@idp.example.com",
      text: expect.stringMatching(/^carol@.* may not answer the call of it\/cwd by editor .*server "it"$/),
    },
  ]);
  expect(crib.approvals.pending).toHaveLength(1);
  await crib.approvals.answer(pending.id, { decision: "deny", reason: "no" }, answerer("dan", new Set(["it"])));
  expect(await resultText(result)).toContain("no");
});

test("under four eyes neither the caller's confirmation, their own role, nor the owner's token is the second pair (O9)", async () => {
  const { crib, ask, refused, elicited } = await openWaiting({ approvals: { fourEyes: true } });
  const { result, pending } = await ask();
  // The caller has confirmed it, and that was not enough.
  expect(elicited()).toBe(1);
  for (const who of [ALICE, undefined]) {
    const answer = crib.approvals.answer(pending.id, { decision: "allow" }, who);
    await expect(answer).rejects.toMatchObject({ code: "approval.not-theirs" });
  }
  expect(refused.map(({ principal }) => principal)).toEqual(["alice@idp.example.com", undefined]);
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect((await result).resultType).toBe("success");
});

test("four eyes that are asked for while a call waits count for it too (O9)", async () => {
  const { crib, ask, reload, refused } = await openWaiting({ approvals: "inspector", permissions: {} });
  const { result, pending } = await ask();
  await reload({ approvals: { ask: "inspector", fourEyes: true } });
  expect(crib.approvals.pending).toMatchObject([{ id: pending.id, fourEyes: true }]);
  const answer = crib.approvals.answer(pending.id, { decision: "allow" }, ALICE);
  await expect(answer).rejects.toMatchObject({ code: "approval.not-theirs" });
  expect(refused).toHaveLength(1);
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect((await result).resultType).toBe("success");
});

test("four eyes can be asked for of some servers", async () => {
  const { session, elicited } = await openWaiting({ approvals: { fourEyes: ["other"] } });
  expect((await session.call("it/cwd", {}, { behind: {} })).resultType).toBe("success");
  expect(elicited()).toBe(1);
});

test("what a person allows counts once, for what was asked, whatever their answer says (O14)", async () => {
  const { crib, ask } = await openWaiting({ approvals: "inspector", permissions: {} });
  const answers = [
    { decision: "allow", scope: "user" },
    { decision: "allow", scope: "session", boundToArguments: true },
    { decision: "allow", updatedInput: { text: "something else" } },
  ] as const;
  // Each time it is asked again, and what runs is what was shown.
  for (const more of answers) {
    const { result, pending } = await ask("it/echo", { text: "what was shown" });
    expect(await crib.approvals.answer(pending.id, more, BOB)).toBe(true);
    expect(await resultText(result)).toContain("what was shown");
    expect(await crib.approvals.answer(pending.id, more, BOB)).toBe(false);
  }
});

test("a question that nobody answers in time is a no, and nobody can say yes to it later (O14)", async () => {
  const { crib, ask } = await openWaiting({ approvals: { ask: "approvers", expires: 1_000 } });
  const { result, pending } = await ask();
  expect(pending.until).toBe(pending.since + 1_000);
  expect(await resultText(result)).toContain(UNANSWERED.reason);
  expect(crib.approvals.pending).toEqual([]);
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(false);
});
