import { defaultOrigin, formatOrigin, type Origin } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import { serverOf, type Tool } from "../tool/tool.ts";
import { type AnyGate, hideFor, pass } from "./gate.ts";

/** A tool is hidden until all feature flags of the tool and its server are on; an absent flag is off (G1). */
export const featureGate = {
  name: "feature",
  judge({ tool }, scene) {
    const [own, server] = [tool.feature, serverFlag(tool, scene)];
    if (own === null && server === null) return pass;
    const reasons = own === null ? [] : judgeFlag(own, tool.featureAt ?? defaultOrigin, scene);
    return hideFor(server === null ? reasons : [...reasons, ...judgeFlag(server.value, server.origin, scene)]);
  },
} as const satisfies AnyGate;

function serverFlag(tool: Tool, { servers }: ResolvedScene) {
  const server = serverOf(tool);
  const flag = server === null ? null : (servers.get(server)?.feature ?? null);
  return flag?.value === tool.feature ? null : flag;
}

/** An absent flag has no place of its own, so the origin is the setting that requires it. */
function judgeFlag(name: string, asked: Origin, { features }: ResolvedScene): readonly Reason[] {
  const flag = features.get(name);
  if (flag?.value === true) return [];
  const state = flag === undefined ? "not set" : "off";
  return [
    {
      code: "feature.off",
      text: `feature "${name}" is ${state}`,
      origin: flag?.origin ?? asked,
      fix: `set features.${name}: true${flag === undefined ? "" : ` (${formatOrigin(flag.origin)})`}`,
    },
  ];
}
