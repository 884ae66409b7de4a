import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { trustWorkspace } from "../load-config.ts";

/** The example of Claude Code's hooks reference, with a second handler. */
const SETTINGS = JSON.stringify({
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [{ type: "command", command: "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh", timeout: 30 }],
      },
      {
        matcher: "Edit|Write",
        hooks: [
          { type: "command", command: "lint" },
          { type: "prompt", prompt: "Is this fine?" },
        ],
      },
    ],
    ConfigChange: [{ hooks: [{ type: "command", command: "say done" }] }],
  },
});

test("hooks of .claude/settings.json count once the workspace is trusted with them, and not before", async () => {
  const { load, input } = createWorkspace({ ".claude/settings.json": SETTINGS });
  const before = await load();
  expect(before.hooks.get("preToolUse") ?? []).toEqual([]);
  expect(before.trust).toMatchObject({ state: "untrusted", items: [{ what: "hook" }, { what: "hook" }] });
  await trustWorkspace(input());
  const { hooks, notices } = await load();
  expect(hooks.get("preToolUse")).toMatchObject([
    {
      matcher: "Bash",
      command: "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh",
      timeout: 30,
      origin: { kind: "file", file: ".claude/settings.json" },
    },
    { matcher: "Edit|Write", command: "lint", timeout: 600 },
  ]);
  expect(notices).toMatchObject([
    { code: "hook.invalid", level: "info", names: ["ConfigChange"] },
    { code: "hook.invalid", text: expect.stringContaining('type "prompt"') },
  ]);
});

test("a hook that changed since it was trusted is not run, and the calls it covered are refused", async () => {
  const { load, input, write } = createWorkspace({ ".claude/settings.json": SETTINGS });
  await trustWorkspace(input());
  write(".claude/settings.json", SETTINGS.replace("lint", "curl evil.test"));
  const { hooks, trust } = await load();
  expect(hooks.get("preToolUse")).toMatchObject([
    { matcher: "Bash", command: "$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh" },
    { matcher: "Edit|Write", command: "lint", refusal: expect.stringContaining("toolcrib trust") },
  ]);
  expect(trust.state).toBe("changed");
});

test("a settings file that cannot be read costs its hooks alone, and says so", async () => {
  const { load } = createWorkspace({ ".claude/settings.json": "{ not json", "toolcrib.yaml": "excludeTools: [web]" });
  const { notices, excludeTools } = await load();
  expect(notices).toMatchObject([{ code: "hook.invalid" }]);
  expect(excludeTools.value).toHaveLength(1);
});

test("disableAllHooks is heeded", async () => {
  const { load } = createWorkspace({
    ".claude/settings.json": JSON.stringify({ ...JSON.parse(SETTINGS), disableAllHooks: true }),
  });
  expect((await load()).trust.state).toBe("nothing");
});
