import { expect, test } from "vitest";
import type { AnswerableCall, Answerer } from "./may-answer.ts";
import { whyNotAnswer } from "./may-answer.ts";

const alice = { issuer: "https://idp.example.com", subject: "alice" };
const asked = (given: Partial<AnswerableCall> = {}): AnswerableCall => ({
  ...{ server: "github", caller: alice, fourEyes: false, ...given },
});
const who = (given: Partial<Answerer> = {}): Answerer => ({
  ...{ by: "bob", person: { ...alice, subject: "bob" }, approves: "all", ...given },
});

test("an approver answers for the servers that are named to them, and for nothing else (O9)", () => {
  const limited = who({ approves: new Set(["github"]) });
  expect(whyNotAnswer(asked(), limited)).toBeNull();
  expect(whyNotAnswer(asked({ server: "prod" }), limited)).toContain('for the server "prod"');
  // A call that no server runs, such as a command, is nobody's who is limited to servers.
  expect(whyNotAnswer(asked({ server: null }), limited)).toContain("without a list of servers");
  expect(whyNotAnswer(asked({ server: null }), who())).toBeNull();
  expect(whyNotAnswer(asked(), who({ approves: new Set() }))).toBe("this needs the role approver");
});

test("of four eyes the caller's own are two, whatever role they have, and the same subject elsewhere is somebody else (O9)", () => {
  const own = who({ person: { ...alice } });
  expect(whyNotAnswer(asked(), own)).toBeNull();
  expect(whyNotAnswer(asked({ fourEyes: true }), own)).toContain("own call");
  expect(whyNotAnswer(asked({ fourEyes: true }), who())).toBeNull();
  const elsewhere = who({ person: { ...alice, issuer: "https://other.example.com" } });
  expect(whyNotAnswer(asked({ fourEyes: true }), elsewhere)).toBeNull();
});

test("nobody in particular is no second pair of eyes", () => {
  const owner = who({ person: null });
  expect(whyNotAnswer(asked(), owner)).toBeNull();
  for (const caller of [alice, null])
    expect(whyNotAnswer(asked({ fourEyes: true, caller }), owner)).toContain("a person who has logged in");
});
