import type { Entry } from "../catalog/entry.ts";
import { isBuiltin, isServed } from "../tool/tool.ts";
import { type AnyGate, hide, pass } from "./gate.ts";
import { FRONTS } from "./own-name.ts";

/** A name has one owner, even while that owner is hidden, so that hiding a tool never reveals another (G14). */
export const duplicateGate = {
  name: "duplicate",
  judge(entry) {
    if (entry.nameOwner === null) return pass;
    return hide({
      code: "duplicate.name-taken",
      text: `the name "${entry.claim.name}" belongs to ${entry.nameOwner}`,
      origin: { kind: "definition", of: entry.id },
      fix: toRename(entry),
    });
  },
} as const satisfies AnyGate;

function toRename({ tool, identity, nameOwner }: Entry): string {
  if (isServed(tool)) return `set toolOverrides."${identity}".name, or rename the other tool`;
  const front = FRONTS.get(tool.source);
  const owners = FRONTS.get(/\((\w+)\)$/.exec(nameOwner ?? "")?.[1] ?? "");
  // No name can distinguish two tools of one kind.
  if (front === undefined || front === owners) return "rename one of the two where it is defined";
  if (isBuiltin(tool)) return `take the other tool away, or set toolOverrides."${front}:${tool.name}".name`;
  return `rename it where it is defined, or set toolOverrides."${front}:${tool.name}".name`;
}
