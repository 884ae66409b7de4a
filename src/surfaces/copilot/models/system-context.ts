import type { PromptSection } from "../../../core/toolset/prompt-sections.ts";
import { askClient } from "../clients/ask-client.ts";
import type { Live } from "../state/live.ts";
import { agentsOfApp } from "../tools/given-agents.ts";
import { recordOf, textOf } from "../wire/wire-values.ts";
import { type SystemContext, toSystemText, toTransform } from "./system-text.ts";

/** The system text of a request: the session's own, or for an agent below it what that agent says. */
export function systemTextOf(live: Live, tools: readonly PromptSection[], agent: string | null): string {
  if (agent !== null) return tools.map(({ text }) => text).join("\n\n");
  return toSystemText(live.wire.systemMessage, contextOf(live, tools));
}

function contextOf(live: Live, tools: readonly PromptSection[]): SystemContext {
  const selected = agentsOfApp(live).find(({ name }) => name === live.agent);
  return {
    cwd: live.cwd,
    tools,
    instructions: textOf(live.facts.get("instructions")) ?? "",
    agent: textOf(selected?.prompt) ?? "",
    transformed: live.sections,
  };
}

/** Lets the client change sections of the system text that it wants to see, once for each run. */
export async function transformSections(live: Live): Promise<void> {
  const wanted = toTransform(live.wire.systemMessage, contextOf(live, []));
  if (Object.keys(wanted).length === 0) return;
  for (const { connection } of live.clients.values()) {
    try {
      const answer = recordOf(await askClient(live, connection, "systemMessage.transform", { sections: wanted }));
      const sections = Object.entries(recordOf(answer.sections));
      live.sections = new Map(sections.map(([name, section]) => [name, textOf(recordOf(section).content) ?? ""]));
      return;
    } catch {
      // Another client may know better; without one the text stays as it is.
    }
  }
}
