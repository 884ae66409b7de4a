import type { Sourced } from "../../core/codes/origin.ts";
import { parseRule, type Rule } from "../../core/rules/rule.ts";
import { mode, ruleOf, ruleText } from "../../core/scene/scene-shapes.ts";
import { type Common, choice, either, list, names, record, sourced, text, to } from "../../core/shape/shape.ts";
import { isNoneOf } from "../../core/shape/trust-marks.ts";
import { coveredByRule } from "../trust/trust-guards.ts";
import { path } from "./server-shape.ts";

/** A rule, with the examples of what it means where it has some. */
type RuleEntry = Sourced<Rule> & {
  readonly match?: readonly Sourced<string>[];
  readonly noMatch?: readonly Sourced<string>[];
};

const explainedRule = to(
  record({
    rule: text({ about: "the rule", required: true, ...ruleText }),
    match: names({ about: "examples that the rule must match: commands, paths, addresses, or arguments as JSON" }),
    noMatch: names({ about: "examples that the rule must not match" }),
  }),
  ({ rule, match, noMatch }, { node }): RuleEntry => ({
    value: parseRule(rule, node.origin),
    origin: node.origin,
    match: match?.value ?? [],
    noMatch: noMatch?.value ?? [],
  }),
);

const bareRule = to(ruleOf(), (rule): RuleEntry => rule);

const rules = (about: string, extra: Pick<Common, "trust"> = {}) =>
  list(either([bareRule, explainedRule], extra), { about, merge: "union", default: [] });

export const permissions = record(
  {
    mode,
    allow: rules("calls that run without asking", { trust: { what: "allow rule" } }),
    additionalDirectories: list(sourced(path({ trust: { what: "further folder" } })), {
      about: "folders outside the workspace that file and shell tools may use",
      merge: "union",
      default: [],
    }),
    ask: rules("calls that are always asked about", {
      trust: { narrows: true, what: "ask rule", guards: coveredByRule },
    }),
    deny: rules("calls that never run", { trust: { narrows: true, what: "deny rule", guards: coveredByRule } }),
    sandboxed: sourced(
      choice(["allow", "ask"], {
        about: "whether sandboxed commands run without asking, unless a deny or ask rule matches",
        default: "ask",
        trust: { what: "commands in the sandbox", when: isNoneOf("ask") },
      }),
    ),
    hostTools: sourced(
      choice(["allow", "ask"], {
        about: "whether tools defined in the host's own code run when nothing else decides",
        default: "allow",
        trust: { what: "host tools", when: isNoneOf("ask") },
      }),
    ),
  },
  { about: "who may run what", default: {} },
);
