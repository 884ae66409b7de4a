import { CODE_NAME } from "../catalog/code-tool.ts";
import { SEARCH_NAME } from "../catalog/search-tool.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { Skill } from "../scene/scene.ts";
import { remember } from "../shape/remember.ts";
import { isServed } from "../tool/tool.ts";
import { type AnyGate, hide, pass } from "./gate.ts";
import { toOwnName } from "./own-name.ts";

/** Without these a skill could not even be read or left. */
const FRAMEWORK: ReadonlySet<string> = new Set([SEARCH_NAME, CODE_NAME, "skill", "view"]);

/** Active skills that declare tools keep the union of what they declare, their own tools and the framework's (G11). */
export const skillGate = {
  name: "skill",
  judge(entry, { lists, skills, resolver }) {
    const { tool } = entry;
    if (lists.skills === null || lists.skills.mentions.has(entry)) return pass;
    if (!isServed(tool) && FRAMEWORK.has(tool.name)) return pass;
    const { names, text, missing } = describeActive(skills);
    if (tool.source === "skill" && (tool.server === null || names.has(tool.server))) return pass;
    const { origin } = lists.skills.list;
    return hide({
      code: "skill.not-allowed",
      text,
      origin,
      fix:
        missing ??
        `add "${toOwnName(entry, resolver)}" to allowed-tools of an active skill (${formatOrigin(origin)}), or set skillToolPolicy: off`,
    });
  },
} as const satisfies AnyGate;

interface Active {
  readonly names: ReadonlySet<string>;
  readonly text: string;
  /** The fix if no restricting skill is active: then there is no list to add a tool to. */
  readonly missing: string | null;
}

/** Built once per list of skills, however many tools are judged. */
const describeActive = remember((skills: readonly Skill[]): Active => {
  const active = skills.filter((skill) => skill.active);
  const restricting = active.filter(({ allowedTools }) => allowedTools !== null);
  const named = restricting.map(({ name }) => `"${name}"`);
  const more = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : "";
  const text = `not allowed by the active skill${named.length > 1 ? "s" : ""} ${named.slice(0, MAX_NAMED).join(", ")}${more}`;
  const missing = restricting.every((skill) => skill.missing) ? toRemoval(restricting) : null;
  return { names: new Set(active.map(({ name }) => name)), text, missing };
});
const MAX_NAMED = 3;

function toRemoval(skills: readonly Skill[]): string {
  return skills
    .map(
      ({ name, origin }) =>
        `add a skill "${name}" to skillDirectories, or stop asking for it (${formatOrigin(origin)})`,
    )
    .join("; and ");
}
