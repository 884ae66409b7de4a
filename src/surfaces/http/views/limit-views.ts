import { describeLimit } from "../../../core/limits/describe-limit.ts";
import type { LimitFigures } from "../../../runtime/limits/limit-desk.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { LimitView } from "../api/api.ts";
import type { InspectorPorts } from "../api/ports.ts";

/** None where an app is shown, which limits nobody. */
export function toLimitViews({ crib }: Pick<InspectorPorts, "crib">): readonly LimitView[] {
  return (crib.limits?.figures() ?? []).map(toLimitView);
}

function toLimitView({ limit, refused, passed }: LimitFigures): LimitView {
  const { measure, most, period, each, profile, isSoft } = limit;
  const text = revealText(describeLimit(limit));
  return { text, measure, most, per: period, each, profile, soft: isSoft, refused, passed };
}
