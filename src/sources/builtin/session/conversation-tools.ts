import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { PLAN_FILE } from "../../host.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { toResult } from "../parts/outcome.ts";
import { fail, succeed } from "../parts/results.ts";

/** `think`: the thought is in the call itself, so there is nothing to do. */
export const think: BuiltinHandler = async () => succeed("Noted.");

/** `skill`: loads a skill and returns its text for the model. */
export const skill: BuiltinHandler = async ({ name }, _run, { activateSkill }) => {
  if (activateSkill === null) return fail("There are no skills in this session.");
  if (typeof name !== "string") return fail('"name" must be text.');
  const loaded = await activateSkill(name);
  if ("folder" in loaded) return toResult({ what: "skill-loaded", name, ...loaded });
  const near = nearestNames(name, loaded.unknown);
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  const known = loaded.unknown.length > 0 ? ` The skills are: ${loaded.unknown.join(", ")}.` : " There are none.";
  return fail(`There is no skill "${name}".${hint}${known}`);
};

/** `ask_user`: one question, one answer. */
export const askUserTool: BuiltinHandler = async ({ question, choices }, { signal }, host) => {
  if (host.askUser === null)
    return fail("Nobody can be asked in this session. Decide yourself, and say what you assumed.");
  if (typeof question !== "string" || question.trim() === "") return fail('"question" must not be empty.');
  const offered = Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
  const answer = await host.askUser({ question, choices: offered }, signal);
  return toResult({ what: "answered", answer });
};

/** `task_complete`: reports to the host that the task is done. */
export const taskComplete: BuiltinHandler = async ({ summary }, _run, { onTaskComplete }) => {
  if (typeof summary !== "string" || summary.trim() === "") return fail("Say in the summary what was done.");
  onTaskComplete(summary);
  return succeed("The task is marked as complete.");
};

/** `exit_plan_mode`: presents the plan; only a person ends plan mode. An approved plan becomes the session's plan. */
export const exitPlanMode: BuiltinHandler = async ({ plan }, { signal }, { approvePlan, files }) => {
  if (approvePlan === null) return fail("Nobody can approve a plan in this session, so it stays in plan mode.");
  if (typeof plan !== "string" || plan.trim() === "") return fail("The plan is empty; write down the steps first.");
  const { approved, feedback } = await approvePlan(plan, signal);
  const remark = feedback === null || feedback.trim() === "" ? "" : ` The user said: ${feedback}`;
  const refused = approved ? ((await files?.write(PLAN_FILE, plan)) ?? null) : null;
  const kept = refused === null ? "" : ` It is not kept: ${refused}.`;
  if (approved) return toResult({ what: "plan-approved", remarks: kept + remark });
  return {
    resultType: "rejected",
    textResultForLlm: `The plan is not approved, and the session stays in plan mode.${remark}`,
  };
};
