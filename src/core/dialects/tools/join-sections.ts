import type { PromptSection } from "../../toolset/prompt-sections.ts";

/** Sections as one text, for providers that take the system prompt as text; undefined when empty. */
export function joinSections(sections: readonly PromptSection[]): string | undefined {
  return sections.length === 0 ? undefined : sections.map(({ text }) => text).join("\n\n");
}
