import { join } from "node:path";
import { reword, type ToolResult } from "../../core/call/tool-result.ts";
import type { Called, Difference } from "./difference.ts";
import { tell } from "./live.ts";
import { textOf } from "./wire-values.ts";

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
      const isFree = live.facts.get(`answered freely ${String(args.question)}`) === true;
      const word = isFree ? "User responded: " : "User selected: ";
      return reword(result, result.textResultForLlm.replace(/^The user answered: /, word));
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
      if (!result.textResultForLlm.startsWith("The plan is approved")) return result;
      const next = live.facts.get("plan action") === "exit_only" ? WAIT : toGoSignal(live.mode);
      return reword(result, `Plan approved! Exited plan mode.\n\n${next}`);
    },
  },
};

const WAIT = "The user does not want it implemented now. End your response and wait for their next message.";

function toGoSignal(mode: string): string {
  return `You are now in ${mode} mode. Start implementing the plan now, in this same response. Approving the plan is your go-signal, so do not stop to ask whether to proceed or wait for another message.`;
}

const LOADED = /^The skill "([^"]*)" is active\. Its files are in ([^\n]*)\.(?:\n\n([\s\S]*))?$/;

/** What a skill says goes into a message of its own, behind the results. */
function toSkill(result: ToolResult, { args, live }: Called): ToolResult {
  const [, name, folder = "", body = ""] = LOADED.exec(result.textResultForLlm) ?? [];
  if (result.resultType !== "success" || name === undefined) {
    const text = `Skill not found: ${textOf(args.skill) ?? ""}`;
    return { ...result, textResultForLlm: text };
  }
  const content = `Base directory for this skill: ${folder}\n\n${body}`;
  live.session.send(`<skill-context name="${name}">\n${content}\n\n</skill-context>`, {
    mode: "immediate",
    source: "notification",
  });
  tell(live, "skill.invoked", { name, path: join(folder, "SKILL.md"), content: body });
  return reword(result, `Skill "${name}" loaded successfully. Follow the instructions in the skill context.`);
}
