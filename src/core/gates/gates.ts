import { agentGate } from "./agent.ts";
import { builtinsGate } from "./builtins.ts";
import { capabilityGate } from "./capability.ts";
import { denyRuleGate } from "./deny-rule.ts";
import { duplicateGate } from "./duplicate.ts";
import { featureGate } from "./feature.ts";
import { filterGate } from "./filter.ts";
import type { AnyGate } from "./gate.ts";
import { groupGate } from "./group.ts";
import { hostShellGate } from "./host-shell.ts";
import { modeGate } from "./mode.ts";
import { modelGate } from "./model.ts";
import { policyGate } from "./policy.ts";
import { serverFilterGate } from "./server-filter.ts";
import { skillGate } from "./skill.ts";
import { trustGate } from "./trust.ts";

const ALL = [
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
] as const;

/** `budget` is the set-level step after the gates. */
export type GateName = (typeof ALL)[number]["name"] | "budget";

/** A gate with one of these names. */
export type Gate = AnyGate & { readonly name: GateName };

/** All gates, in the order in which they are shown. The order changes no standing. */
export const GATES: readonly Gate[] = ALL;
export const GATE_NAMES: readonly GateName[] = [...ALL.map(({ name }) => name), "budget"];
