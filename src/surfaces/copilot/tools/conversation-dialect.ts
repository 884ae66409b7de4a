import { join } from "node:path";
import { reword, type ToolResult } from "../../../core/call/tool-result.ts";
import type { BuiltinResult } from "../../../sources/builtin/parts/outcome.ts";
import { tell } from "../state/live.ts";
import { textOf } from "../wire/wire-values.ts";
import type { Called, Difference } from "./difference.ts";

const choices = { type: "array", items: { type: "string" } } as const;

/** Tools that are about the conversation itself. */
export const CONVERSATION_DIFFERENCES: Readonly<Record<string, Difference>> = {
  skill: { renamed: { name: "skill" }, toResult: toSkill },
  ask_user: {
    properties: () => ({ choices, allow_freeform: { type: "boolean", description: "Whether other answers are fine" } }),
    toArgs({ allow_freeform, ...args }, live) {
      live.facts.set(`freeform ${String(args.question)}`, allow_freeform);
      return args;
    },
    toResult(result, { args, live }) {
      const { outcome } = result;
      if (outcome?.what !== "answered" || outcome.answer.trim() === "") return result;
      const isFree = live.facts.get(`answered freely ${String(args.question)}`) === true;
      return reword(result, `${isFree ? "User responded: " : "User selected: "}${outcome.answer}`);
    },
  },
  exit_plan_mode: {
    renamed: { plan: "summary" },
    properties: () => ({ actions: choices, recommendedAction: { type: "string" } }),
    required: ["summary"],
    toArgs({ actions, recommendedAction, ...args }, live) {
      live.facts.set("plan actions", { actions, recommendedAction });
      return args;
    },
    toResult(result, { live }) {
      if (result.outcome?.what !== "plan-approved") return result;
      const next = live.facts.get("plan action") === "exit_only" ? WAIT : toGoSignal(live.mode);
      return reword(result, `Plan approved! Exited plan mode.\n\n${next}`);
    },
  },
};

const WAIT = "The user does not want it implemented now. End your response and wait for their next message.";

function toGoSignal(mode: string): string {
  return `You are now in ${mode} mode. Start implementing the plan now, in this same response. Approving the plan is your go-signal, so do not stop to ask whether to proceed or wait for another message.`;
}

/** What a skill says goes into a message of its own, behind the results. */
function toSkill(result: BuiltinResult, { args, live }: Called): ToolResult {
  const { outcome } = result;
  if (outcome?.what !== "skill-loaded") return reword(result, `Skill not found: ${textOf(args.skill) ?? ""}`);
  const { name, folder } = outcome;
  const body = outcome.prompt.trim();
  const content = `Base directory for this skill: ${folder}\n\n${body}`;
  live.session.send(`<skill-context name="${name}">\n${content}\n\n</skill-context>`, {
    mode: "immediate",
    source: "notification",
  });
  tell(live, "skill.invoked", { name, path: join(folder, "SKILL.md"), content: body });
  return reword(result, `Skill "${name}" loaded successfully. Follow the instructions in the skill context.`);
}
