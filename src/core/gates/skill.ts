import { SEARCH_NAME } from "../catalog/search-tool.ts";
import { formatOrigin } from "../codes/origin.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** Without these a skill could not even be read or left. */
const FRAMEWORK: ReadonlySet<string> = new Set([SEARCH_NAME, "skill", "view"]);

/** Active skills that declare tools keep the union of what they declare, their own tools and the framework's (G11). */
export const skillGate: Gate = {
  name: "skill",
  judge(entry, { lists, skills }) {
    const { tool } = entry;
    if (lists.skills === null || lists.skills.mentions.has(entry)) return pass;
    if (tool.source !== "mcp" && FRAMEWORK.has(tool.name)) return pass;
    const active = skills.filter((skill) => skill.active);
    if (tool.source === "skill" && (tool.server === null || active.some(({ name }) => name === tool.server)))
      return pass;
    const { origin } = lists.skills.list;
    const names = active.filter(({ allowedTools }) => allowedTools !== null).map(({ name }) => `"${name}"`);
    return hide({
      code: "skill.not-allowed",
      text: `not allowed by the active skill ${names.join(", ")}`,
      origin,
      fix: `add "${entry.id}" to allowed-tools of an active skill (${formatOrigin(origin)}), or set skillToolPolicy: off`,
    });
  },
};
