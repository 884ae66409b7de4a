import type { Catalog } from "../catalog/catalog.ts";
import type { Entry } from "../catalog/entry.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import type { Toolset } from "./toolset.ts";

/** Why tools are called from code in this scene, or null (K1). `pressure` is what would otherwise defer them. */
export function findCodeReason(catalog: Catalog, scene: ResolvedScene, pressure: () => Reason | null): Reason | null {
  const { value: use, origin } = scene.code;
  if (use === "off" || isFinderDenied(catalog.code, scene)) return null;
  const fix = "set defer: never for it (in toolOverrides), or code: off";
  if (use === "on") return { code: "budget.code", text: "called from run_code: code is on", origin, fix };
  const searches = scene.client?.ownSearch === true || scene.model?.capabilities.get("toolSearch") === "native";
  const why = searches ? null : pressure();
  if (why === null) return null;
  return { code: "budget.code", text: `called from run_code: ${why.text}, and code is auto`, origin, fix };
}

/** Filters and skills never remove what leads to other tools while it is needed (F7); only a denial does (D1). */
export function isFinderDenied(finder: Entry, { lists }: ResolvedScene): boolean {
  const { deny, deniedTools, disallowed } = lists;
  return [deny, deniedTools, disallowed].some(({ mentions }) => mentions.has(finder));
}

/** Whether tools are called from code here. */
export function isCodeUsed({ catalog, placements }: Pick<Toolset, "catalog" | "placements">): boolean {
  return placements.some(({ entry }) => entry === catalog.code);
}
