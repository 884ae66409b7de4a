import { defaultOrigin, formatOrigin } from "../codes/origin.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** A tool behind a feature flag waits until the flag is on; an absent flag is off (G1). */
export const featureGate: Gate = {
  name: "feature",
  judge({ tool }, { features }) {
    if (tool.feature === null) return pass;
    const flag = features.get(tool.feature);
    if (flag?.value === true) return pass;
    const state = flag === undefined ? "not set" : "off";
    return hide({
      code: "feature.off",
      text: `feature "${tool.feature}" is ${state}`,
      origin: flag?.origin ?? defaultOrigin,
      fix: `set features.${tool.feature}: true${flag === undefined ? "" : ` (${formatOrigin(flag.origin)})`}`,
    });
  },
};
