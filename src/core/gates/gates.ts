import { agentGate } from "./agent.ts";
import { builtinsGate } from "./builtins.ts";
import { capabilityGate } from "./capability.ts";
import { denyRuleGate } from "./deny-rule.ts";
import { duplicateGate } from "./duplicate.ts";
import { featureGate } from "./feature.ts";
import { filterGate } from "./filter.ts";
import type { Gate } from "./gate.ts";
import { groupGate } from "./group.ts";
import { hostShellGate } from "./host-shell.ts";
import { modeGate } from "./mode.ts";
import { modelGate } from "./model.ts";
import { policyGate } from "./policy.ts";
import { serverFilterGate } from "./server-filter.ts";
import { skillGate } from "./skill.ts";
import { trustGate } from "./trust.ts";

/** All gates, in the order in which they are shown. The order changes no standing. */
export const GATES: readonly Gate[] = [
  builtinsGate,
  featureGate,
  capabilityGate,
  modeGate,
  modelGate,
  hostShellGate,
  groupGate,
  policyGate,
  serverFilterGate,
  filterGate,
  agentGate,
  skillGate,
  denyRuleGate,
  trustGate,
  duplicateGate,
];
