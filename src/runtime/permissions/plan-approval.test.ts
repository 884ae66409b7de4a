import { describe, expect, onTestFinished, test } from "vitest";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createSession } from "../session/library.ts";
import type { SessionOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/public-session.ts";
import type { PermissionRequest } from "./permission-request.ts";

const changes = defineTool("changes", { description: "Changes something", handler: async () => "changed" });
const PLAN = { plan: "1. Change it." };

async function start(options: SessionOptions): Promise<{ session: Session; modes: string[] }> {
  const session = await createSession({ workspace: null, mode: "plan", tools: [changes], ...options });
  onTestFinished(() => session.close());
  const modes: string[] = [];
  session.on("session.mode_changed", ({ previousMode, newMode }) => modes.push(`${previousMode} -> ${newMode}`));
  return { session, modes };
}

const standing = (session: Session, name: string) =>
  session.toolset.placements.find(({ entry }) => entry.wireName === name)?.standing;

describe("exit_plan_mode", () => {
  test("asks for approval of the plan, and then the mode changes", async () => {
    const asked: PermissionRequest[] = [];
    const { session, modes } = await start({
      onPermissionRequest: (request) => {
        asked.push(request);
        return { decision: "allow" };
      },
    });
    expect([standing(session, "exit_plan_mode"), standing(session, "changes")]).toEqual(["visible", "hidden"]);
    expect(await session.call("exit_plan_mode", PLAN)).toMatchObject({ resultType: "success" });
    expect(asked).toMatchObject([
      { kind: "plan", toolName: "exit_plan_mode", toolArgs: PLAN, code: "permission.plan", suggestions: [] },
    ]);
    expect([standing(session, "exit_plan_mode"), standing(session, "changes")]).toEqual(["hidden", "visible"]);
    expect(modes).toEqual(["plan -> default"]);
    expect(await session.call("changes")).toMatchObject({ textResultForLlm: "changed" });
  });

  test("leaves the session planning when the plan is not approved, with what was said", async () => {
    const { session, modes } = await start({
      onPermissionRequest: () => ({ decision: "deny", reason: "write tests first" }),
    });
    const { resultType, textResultForLlm } = await session.call("exit_plan_mode", PLAN);
    expect([resultType, textResultForLlm]).toEqual(["denied", "Permission denied: write tests first."]);
    expect([standing(session, "changes"), modes]).toEqual(["hidden", []]);
  });

  test("needs somebody: with nobody to ask, the session stays in plan mode", async () => {
    const { session, modes } = await start({});
    expect(await session.call("exit_plan_mode", PLAN)).toMatchObject({ resultType: "denied" });
    expect(modes).toEqual([]);
  });

  test("a rule that names it is an approval, and one that denies it wins", async () => {
    const allowed = await start({ permissions: { allow: ["exit_plan_mode"] } });
    expect(await allowed.session.call("exit_plan_mode", PLAN)).toMatchObject({ resultType: "success" });
    expect(allowed.modes).toEqual(["plan -> default"]);
    const denied = await start({
      permissions: { deny: ["exit_plan_mode(plan:*)"] },
      onPermissionRequest: () => ({ decision: "allow" }),
    });
    expect(await denied.session.call("exit_plan_mode", PLAN)).toMatchObject({ resultType: "denied" });
    expect(denied.modes).toEqual([]);
  });

  test("no classifier and no promise of the tool replaces the person who approves", async () => {
    const { session, modes } = await start({
      classifier: { filter: async () => ({ verdict: "safe", reason: "looks fine" }) },
      toolOverrides: { exit_plan_mode: { traits: { readOnly: true } } },
    });
    expect(await session.call("exit_plan_mode", PLAN)).toMatchObject({ resultType: "denied" });
    expect(modes).toEqual([]);
  });

  test("the mode stays changed when other options change, and an option can begin planning again", async () => {
    const { session } = await start({ onPermissionRequest: () => ({ decision: "allow" }) });
    await session.call("exit_plan_mode", PLAN);
    await session.updateOptions({ excludedTools: ["think"] });
    expect(standing(session, "changes")).toBe("visible");
    await session.updateOptions({ mode: "plan" });
    expect(standing(session, "changes")).toBe("hidden");
    expect(await session.call("exit_plan_mode", PLAN)).toMatchObject({ resultType: "success" });
    expect(standing(session, "changes")).toBe("visible");
  });
});
