import { type Gate, hide, pass } from "./gate.ts";

/** A name has one owner, also while that owner is hidden itself, so that hiding a tool never reveals another (G14). */
export const duplicateGate: Gate = {
  name: "duplicate",
  judge(entry) {
    if (entry.nameOwner === null) return pass;
    return hide({
      code: "duplicate.name-taken",
      text: `the name "${entry.wireName}" belongs to ${entry.nameOwner}`,
      origin: { kind: "definition", of: entry.id },
      fix: "rename one of the two",
    });
  },
};
