import type { Config } from "../../../config/config.ts";
import { describeLimit } from "../../../core/limits/describe-limit.ts";
import { toLimitedCaller } from "../../../core/limits/usage-limit.ts";
import type { Caller } from "../../../core/people/person.ts";
import type { Explanation } from "../../../core/toolset/explain.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { usageLimitsOf } from "../../../runtime/crib/crib-limits.ts";
import { personProfile } from "../../../runtime/crib/profile.ts";
import { limitsAbout } from "../../../runtime/limits/call-limits.ts";

/** How much somebody may use of these tools, each limit in words. */
export function limitsOfTools(
  config: Config,
  caller: Caller,
  toolset: Toolset,
  explanations: readonly Pick<Explanation, "wireName">[],
): readonly string[] {
  const profile = personProfile(config, caller);
  const limits = usageLimitsOf(profile, config);
  const names = new Set(explanations.map(({ wireName }) => wireName));
  const limited = toLimitedCaller(caller, profile);
  const about = toolset.catalog.entries
    .filter(({ wireName }) => names.has(wireName))
    .flatMap((entry) => limitsAbout(entry, limits, limited, toolset));
  return [...new Set(about.map(describeLimit))];
}
