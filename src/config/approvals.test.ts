import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";

const AUTH = { people: [{ everybody: true, roles: ["approver", "admin"] }] };
const load = (approvals: unknown, more: object = {}, env: Record<string, string> = {}) =>
  createWorkspace({
    user: JSON.stringify({
      mcpServers: { github: { url: "https://example.com/mcp" } },
      gateway: { publicUrl: "https://tools.example.com", auth: AUTH, approvals, ...more },
    }),
  }).load({}, env);
const SLACK = { token: "xoxb-1", signingSecret: "s" };

describe("gateway.approvals", () => {
  test("a word says who is asked, and nothing else is then there", async () => {
    for (const word of ["client", "approvers", "inspector", "deny"])
      expect((await load(word)).gateway.approvals).toMatchObject({
        ...{ value: word, fourEyes: [], expires: null, to: [], slack: null },
      });
    await expect(load("everybody")).rejects.toMatchObject({ code: "config.invalid" });
  });

  test("a record says where questions go, and when one is a no", async () => {
    const env = { S: "secret-of-the-webhook", T: "xoxb-token" };
    const to = [
      { slack: "C1", servers: ["github"] },
      { webhook: "https://hooks.example.com/x", secret: `\${S}` },
      { teams: "https://x.logic.azure.com/y?sig=z", after: 900_000 },
    ];
    const record = { ask: "approvers", fourEyes: true, to, slack: { token: `\${T}`, signingSecret: "s" } };
    const { gateway, notices } = await load(record, {}, env);
    expect(notices).toEqual([]);
    expect(gateway.approvals).toMatchObject({
      ...{ value: "approvers", fourEyes: "all", expires: 3_600_000 },
      slack: { token: "xoxb-token", signingSecret: "s", api: "https://slack.com/api" },
      to: [
        { slack: "C1", servers: ["github"], after: 0 },
        { webhook: "https://hooks.example.com/x", secret: "secret-of-the-webhook" },
        { teams: "https://x.logic.azure.com/y?sig=z", after: 900_000 },
      ],
    });
    expect((await load({})).gateway.approvals).toMatchObject({ value: "client", fourEyes: [] });
  });

  test.each([
    [{ to: [{ webhook: "https://hooks.example.com" }] }, /without "secret"/],
    [{ to: [{ teams: "https://hooks.example.com", secret: "s" }] }, /"webhook" alone/],
    [{ to: [{ webhook: "http://hooks.example.com", secret: "s" }] }, /begin with https/],
    [{ to: [{ webhook: "https://u:p@hooks.example.com", secret: "s" }] }, /user name/],
    [{ to: [{ slack: "C1", webhook: "https://hooks.example.com", secret: "s" }] }, /slack.*webhook/],
    [{ to: [{ slack: "C1" }] }, /needs gateway.approvals.slack/],
    [{ to: [{ after: 1 }] }, /slack/],
  ])("%j is refused, with the place", async (record, why) => {
    const error = await load(record).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: "config.invalid", message: expect.stringMatching(why) });
    expect(String(error)).toMatch(/config\.yaml:\d+/);
  });

  test("what needs people is refused where nobody logs in", async () => {
    for (const record of [{ fourEyes: true }, { fourEyes: ["github"] }, { slack: SLACK, to: [{ slack: "C1" }] }])
      await expect(load(record, { auth: null })).rejects.toMatchObject({
        ...{ code: "config.invalid", message: expect.stringContaining("gateway.auth") },
      });
    expect((await load({ ask: "inspector" }, { auth: null })).gateway.approvals.value).toBe("inspector");
  });

  test("nobody who could answer, and servers that are not there, are worth a word", async () => {
    const people = [{ everybody: true, roles: ["admin"] }];
    const nobody = await load("approvers", { auth: { people } });
    expect(nobody.notices.map(({ code }) => code)).toEqual(["auth.no-approver"]);
    const rule = { group: ["x"], roles: ["approver"], servers: ["gitub"] };
    const odd = await load({ fourEyes: ["gitlab"] }, { auth: { people: [...people, rule] } });
    expect(odd.notices.map(({ code, names }) => [code, ...names])).toEqual([
      ["auth.unknown-server", "gitub"],
      ["auth.unknown-server", "gitlab"],
    ]);
  });

  test("servers of a rule are for approvers", async () => {
    const people = [{ everybody: true, roles: ["viewer"], servers: ["github"] }];
    await expect(load("client", { auth: { people } })).rejects.toMatchObject({
      message: expect.stringContaining("for the role approver alone"),
    });
  });

  test("secrets of it are hidden wherever secrets are", async () => {
    const { secretsOf } = await import("../runtime/audit/redact-value.ts");
    const to = [{ webhook: "https://hooks.example.com/?key=in-the-query", secret: "webhook-secret" }];
    const found = secretsOf(await load({ to, slack: SLACK }));
    expect(found).toEqual(expect.arrayContaining(["xoxb-1", "s", "webhook-secret", "in-the-query"]));
  });
});
