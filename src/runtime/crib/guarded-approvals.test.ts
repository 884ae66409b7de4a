import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import type { Answerer } from "../../core/people/may-answer.ts";
import type { Caller } from "../../core/people/person.ts";
import type { OpenSession } from "../session/tools/session.ts";
import { UNANSWERED } from "./approvals.ts";
import type { RefusedAnswer } from "./guarded-approvals.ts";
import { openCrib } from "./open-crib.ts";
import { personProfile } from "./profile.ts";

const SERVER = fileURLToPath(new URL("../../../test/fixtures/misbehaving-server.cjs", import.meta.url));
const PATIENCE = { timeout: 30_000 };
const alice: Caller = {
  ...{ issuer: "https://idp.example.com", subject: "alice", client: "c", groups: [], claims: [] },
  ...{ name: "Alice", email: null },
};
const answerer = (subject: string, approves: Answerer["approves"] = "all"): Answerer => ({
  ...{ by: `${subject}@idp.example.com`, person: { ...alice, subject }, approves },
});
const [ALICE, BOB] = [answerer("alice"), answerer("bob")];

/** Alice's session behind a gateway with these settings of approvals; `it/cwd` is asked about. */
async function open(approvals: unknown, permissions: object = { ask: ["it/cwd"] }) {
  const written = (rules: object, approvals: unknown) =>
    JSON.stringify({
      ...{ mcpServers: { it: { command: process.execPath, args: [SERVER] } }, permissions: rules },
      gateway: {
        ...{ publicUrl: "https://tools.example.com", approvals, profiles: { all: {} } },
        auth: { people: [{ everybody: true, profile: "all", roles: ["approver"] }] },
      },
    });
  const place = createWorkspace({ user: written(permissions, approvals) });
  const env = { PATH: process.env.PATH };
  const refused: RefusedAnswer[] = [];
  const crib = await openCrib(await place.load({}, env), {
    ...{ version: "1", workspace: place.cwd, drain: 0, cwd: place.cwd, home: place.home, env },
    onRefusedAnswer: (each) => void refused.push(each),
  });
  onTestFinished(() => crib.close());
  let elicited = 0;
  const session = await crib.openView({
    ...{ profile: personProfile(crib.config, alice), label: "editor", client: null },
    async approve() {
      elicited += 1;
      return { decision: "allow" };
    },
  });
  await session.settled(AbortSignal.timeout(30_000));
  const ask = async (tool = "it/cwd", args: Readonly<Record<string, unknown>> = {}) => {
    const result = session.call(tool, args, { behind: {} });
    await expect.poll(() => crib.approvals.pending.length, PATIENCE).toBe(1);
    const [pending] = crib.approvals.pending;
    if (pending === undefined) throw new Error("nothing waits");
    return { result, pending };
  };
  const reload = async (rules: object, next = approvals) => {
    place.write("user", written(rules, next));
    await crib.reconfigure(await place.load({}, env));
  };
  return { crib, session, ask, refused, reload, elicited: () => elicited };
}

const textOf = async (result: ReturnType<OpenSession["call"]>) => (await result).textResultForLlm;

test("where approvers are asked, the client's own user is not, though what no rule is about runs as before (O9)", async () => {
  const { crib, session, ask, elicited } = await open("approvers");
  expect((await session.call("it/pids")).resultType).toBe("success");
  const { result, pending } = await ask();
  expect(elicited()).toBe(0);
  expect(pending.caller).toEqual({ issuer: alice.issuer, subject: "alice", name: "Alice" });
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect((await result).resultType).toBe("success");
});

test("nobody answers for a server that was not named to them, and the attempt is in the log (O9)", async () => {
  const { crib, ask, refused } = await open("approvers");
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
  expect(await textOf(result)).toContain("no");
});

test("under four eyes neither the caller's confirmation, their own role, nor the owner's token is the second pair (O9)", async () => {
  const { crib, ask, refused, elicited } = await open({ fourEyes: true });
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
  const { crib, ask, reload, refused } = await open("inspector", {});
  const { result, pending } = await ask();
  await reload({}, { ask: "inspector", fourEyes: true });
  expect(crib.approvals.pending).toMatchObject([{ id: pending.id, fourEyes: true }]);
  const answer = crib.approvals.answer(pending.id, { decision: "allow" }, ALICE);
  await expect(answer).rejects.toMatchObject({ code: "approval.not-theirs" });
  expect(refused).toHaveLength(1);
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect((await result).resultType).toBe("success");
});

test("four eyes can be asked for of some servers", async () => {
  const { session, elicited } = await open({ fourEyes: ["other"] });
  expect((await session.call("it/cwd", {}, { behind: {} })).resultType).toBe("success");
  expect(elicited()).toBe(1);
});

test("what a person allows counts once, for what was asked, whatever their answer says (O14)", async () => {
  const { crib, ask } = await open("inspector", {});
  const answers = [
    { decision: "allow", scope: "user" },
    { decision: "allow", scope: "session", boundToArguments: true },
    { decision: "allow", updatedInput: { text: "something else" } },
  ] as const;
  // Each time it is asked again, and what runs is what was shown.
  for (const more of answers) {
    const { result, pending } = await ask("it/echo", { text: "what was shown" });
    expect(await crib.approvals.answer(pending.id, more, BOB)).toBe(true);
    expect(await textOf(result)).toContain("what was shown");
    expect(await crib.approvals.answer(pending.id, more, BOB)).toBe(false);
  }
});

test.each([
  [{ ask: ["it/cwd"], deny: ["it/cwd"] }, 'it is denied by the rule "it/cwd"'],
  [{ ask: ["it/cwd", "it/pids"] }, 'the rules changed, and now the rule it/cwd asks about "it__cwd"'],
])(
  "an answer is about the policy it was asked under: with %j by then, the call does not run (O14)",
  async (rules, why) => {
    const { crib, ask, reload } = await open("approvers");
    const { result, pending } = await ask();
    await reload(rules);
    expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
    expect(await textOf(result)).toContain(why);
  },
);

test("a question that nobody answers in time is a no, and nobody can say yes to it later (O14)", async () => {
  const { crib, ask } = await open({ ask: "approvers", expires: 1_000 });
  const { result, pending } = await ask();
  expect(pending.until).toBe(pending.since + 1_000);
  expect(await textOf(result)).toContain(UNANSWERED.reason);
  expect(crib.approvals.pending).toEqual([]);
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(false);
});
