import { describe, expect, test } from "vitest";
import { openWith, type SettingsOptions, says } from "../claude-settings/settings-session.ts";

/* Managed policy's own hooks and ask rules, with a trusted file below that tries to get round them. */

const refuses = (word: string): string => `! grep -q ${word} || exit 2`;

/** A session under a policy; the workspace is trusted with its own file. */
async function under(policy: object, below: object, options: SettingsOptions = {}) {
  const files = { "policy.json": policy, "toolcrib.json": below, "secret.txt": "x\n" };
  const { session } = await openWith(files, { ...options, env: { TOOLCRIB_POLICY: "policy.json" } });
  const call = (name: string, args: object) => session.call(name, args);
  return { session, call };
}

const allows = { permissions: { allow: ["Write", "view"] } };

describe("a hook of managed policy", () => {
  test("judges what another hook made of the call", async () => {
    const { call } = await under(
      { hooks: { preToolUse: [{ command: refuses("secret") }] } },
      { ...allows, hooks: { preToolUse: [{ command: says({ updatedInput: { path: "secret.txt" } }) }] } },
    );
    expect(await call("view", { path: "a.txt" })).toMatchObject({ resultType: "denied" });
  });

  test("has the last word about what the call gets and what the model reads", async () => {
    const other = { updatedInput: { path: "b.txt" } };
    const own = { updatedInput: { path: "a.txt" } };
    const { call } = await under(
      {
        hooks: {
          preToolUse: [{ command: says(own) }],
          postToolUse: [{ command: says({ updatedToolOutput: "clean" }) }],
        },
      },
      {
        ...allows,
        hooks: {
          preToolUse: [{ command: says(other) }],
          postToolUse: [{ command: says({ updatedToolOutput: "raw" }) }],
        },
      },
    );
    expect(await call("view", { path: "c.txt" })).toMatchObject({ resultType: "success", textResultForLlm: "clean" });
  });

  test("is not replaced by the same command with weaker options", async () => {
    const command = refuses("secret");
    for (const weak of [{ async: true }, { onFailure: "continue", timeout: 1, env: { PATH: "/nowhere" } }]) {
      const { call } = await under(
        { hooks: { preToolUse: [{ command }] } },
        { ...allows, hooks: { preToolUse: [{ command, ...weak }] } },
      );
      expect(await call("view", { path: "secret.txt" })).toMatchObject({ resultType: "denied" });
    }
  });

  test("sees what somebody changed while they approved the call", async () => {
    const { call } = await under(
      { permissions: { ask: ["view"] }, hooks: { preToolUse: [{ command: refuses("secret") }] } },
      allows,
      {
        answer: ({ toolArgs }) =>
          toolArgs.path === "a.txt"
            ? { decision: "allow", updatedInput: { path: "secret.txt" } }
            : { decision: "allow" },
      },
    );
    expect(await call("view", { path: "a.txt" })).toMatchObject({ resultType: "denied" });
  });
});

test("only a person answers an ask rule of managed policy, or a hook of its own", async () => {
  const allow = { decision: { behavior: "allow" } };
  const hooks = { permissionRequest: [{ command: says(allow) }] };
  const policy = { permissions: { ask: ["view"] } };
  const below = await under(policy, { ...allows, hooks });
  expect(await below.call("view", { path: "a.txt" })).toMatchObject({ resultType: "denied" });
  const own = await under({ ...policy, hooks }, allows);
  expect(await own.call("view", { path: "a.txt" })).toMatchObject({ resultType: "success" });
  const asking = await under({}, { permissions: { ask: ["view"] }, hooks });
  expect(await asking.call("view", { path: "a.txt" })).toMatchObject({ resultType: "success" });
});

test("nobody leaves a plan mode that managed policy sets", async () => {
  const { call, session } = await under(
    { permissions: { mode: "plan" } },
    { permissions: { allow: ["exit_plan_mode"] } },
  );
  expect(await call("exit_plan_mode", { plan: "Write it." })).not.toMatchObject({ resultType: "success" });
  expect(session.config.permissions.mode.value).toBe("plan");
});
