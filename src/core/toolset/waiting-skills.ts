import type { Skill } from "../scene/scene.ts";
import { dropInvisible } from "../tool/hidden-text.ts";

/** Enough to choose by; loading the skill shows the rest. */
const MAX_DESCRIPTION = 200;
const MAX_TEXT = 6_000;

/** The skills that a model can load, one line each with their purpose; null if none is waiting. */
export function listWaitingSkills(skills: readonly Skill[], skillTool: string): string | null {
  const waiting = skills.filter(({ active }) => !active);
  if (waiting.length === 0) return null;
  const lines: string[] = [];
  let room = MAX_TEXT;
  for (const skill of waiting) {
    const line = toLine(skill);
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const left = waiting.length - lines.length;
  if (left > 0) lines.push(`and ${left} more`);
  return `These skills can be loaded: call ${skillTool} with a name when a task fits.\n${lines.join("\n")}`;
}

function toLine({ name, description }: Skill): string {
  const text = oneLine(description ?? "");
  const cut = text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text;
  return cut === "" ? `- ${oneLine(name)}` : `- ${oneLine(name)}: ${cut}`;
}

function oneLine(text: string): string {
  return dropInvisible(text.replaceAll(/\s+/g, " ")).trim();
}
