import { nameList, type Sourced } from "../codes/origin.ts";
import { parseRule, type Rule, readRule, unreadableRule } from "../rules/rule.ts";
import type { ConfigNode } from "../shape/node.ts";
import {
  choice,
  either,
  type FieldsOf,
  type Flaw,
  flag,
  list,
  map,
  names,
  number,
  record,
  sourcedShape,
  type TrustMark,
  text,
  to,
} from "../shape/shape.ts";
import { easesMode, isStricterMode, liftsOwn, TAKES_AWAY } from "../shape/trust-marks.ts";
import { DEFERRALS } from "../tool/tool.ts";
import { MODES, type Policy, type ServerMatch } from "./scene.ts";

/** Parts of a configuration that a world has too, under its own keys. */

export const unionOf = (about: string, trust: TrustMark = TAKES_AWAY) =>
  names({ about, merge: "union", default: [], trust });

export const filterFields = {
  includeTools: names({
    about: "offer only these tools; null means all",
    nullable: true,
    default: null,
    trust: {
      what: "include list",
      when: liftsOwn,
      atOnce:
        "as a limit. Where you have a list or a mark that it could lift, it brings nothing back before it is trusted",
    },
  }),
  excludeTools: unionOf("offer all tools except these"),
  availableTools: names({
    about: "the same as `includeTools`",
    nullable: true,
    aliasOf: "includeTools",
    trust: { narrows: true, atOnce: "as `includeTools`" },
  }),
  excludedTools: names({ about: "the same as `excludeTools`", aliasOf: "excludeTools", trust: TAKES_AWAY }),
};

export const defaultAgent = record(
  { excludedTools: unionOf("tools to keep from it") },
  { about: "the agent that is used when none is selected", default: {} },
);

export const mode = sourcedShape(
  choice(MODES, {
    about: "how often to ask",
    default: "default",
    narrow: isStricterMode,
    trust: {
      what: "permission mode",
      when: easesMode,
      atOnce: "`plan`, `dont-ask` and `default`, unless you chose a strict mode yourself: nothing is asked less",
    },
  }),
);

const defer = (about: string) => sourcedShape(choice(DEFERRALS, { about, default: "auto" }));

export const agentFields = {
  description: text({ about: "what it is for", blank: true }),
  prompt: text({ about: "text for the system prompt", blank: true }),
  tools: names({
    about: 'the tools it gets; `["*"]` or nothing is all; `Agent(lint, test)` limits the agents it may start',
    nullable: true,
  }),
  disallowedTools: names(
    { about: "tools it never gets, and calls it never makes, such as `Bash(git push:*)`" },
    text({ valid: checkRule }),
  ),
  toolGroups: names({ about: "groups it may use", nullable: true }),
  skills: names({ about: "skills that are active from the start" }),
  model: sourcedShape(text({ about: "the model it uses", nullable: true })),
  defer: defer("whether the tools it names may be deferred"),
  coordinator: sourcedShape(
    flag({ about: "it directs other agents, and gets tools marked `coordinator-only`", default: false }),
  ),
};

export const serverFields = {
  tools: names({ about: 'which of its tools exist for this run; `["*"]` or nothing is all, `[]` none' }),
  defer: defer("whether its tools may be deferred"),
  group: sourcedShape(text({ about: "the group of all its tools, for `toolGroups`", nullable: true })),
  feature: sourcedShape(text({ about: "the feature flag that its tools need" })),
};

export const modelFields = {
  variants: list(text(), { about: "the form of a tool to offer it, such as `edit:patch`" }),
  maxTools: number(1, { about: "how many tools it accepts at once" }),
  contextWindow: number(1, { about: "size of its context, in tokens" }),
  instructions: text({ about: "text for the system prompt", blank: true }),
  capabilities: map(either([flag(), text()]), { about: "such as `vision: true`, `toolSearch: native`" }),
};

/** A line of a policy's server list: a name, or one of `serverName`, `serverUrl`, `serverCommand` (G7). */
const serverMatch = to(
  either([
    text(),
    record(
      {
        serverName: text({ about: "the configured name" }),
        serverUrl: text({ about: "the address; `*` matches anything" }),
        serverCommand: list(text(), { about: "the exact command line" }),
      },
      { oneOf: ["serverName", "serverUrl", "serverCommand"] },
    ),
  ]),
  (match): ServerMatch => {
    if (typeof match === "string") return { by: "name", name: match };
    if (match.serverUrl !== null) return { by: "url", url: match.serverUrl };
    if (match.serverCommand !== null) return { by: "command", argv: match.serverCommand };
    return { by: "name", name: match.serverName ?? "" };
  },
  (match) => {
    if (match.by === "name") return match.name;
    return match.by === "url" ? { serverUrl: match.url } : { serverCommand: match.argv };
  },
);

export const policyFields = {
  allowedMcpServers: sourcedShape(
    list(sourcedShape(serverMatch), { about: "if set, only these servers", narrow: true }),
  ),
  deniedMcpServers: list(sourcedShape(serverMatch), { about: "never these servers", merge: "union" }),
  deniedTools: names({ about: "never these tools", merge: "union" }),
};

export function toPolicy(said: FieldsOf<typeof policyFields>): Policy {
  return {
    allowedServers: said.allowedMcpServers,
    deniedServers: said.deniedMcpServers ?? [],
    deniedTools: said.deniedTools ?? nameList([]),
  };
}

/** A permission rule as text, and the check it must pass. */
export const ruleText = { means: "rule", valid: checkRule } as const;

export const ruleOf = (extra: { readonly about?: string; readonly required?: true } = {}) =>
  to(
    sourcedShape(text({ ...ruleText, ...extra })),
    (rule): Sourced<Rule> => ({ ...rule, value: parseRule(rule.value, rule.origin) }),
    ({ value: rule, origin }) => ({ value: rule.text, origin }),
  );

function checkRule(node: ConfigNode): Flaw | null {
  const rule = node.kind === "scalar" ? String(node.value) : "";
  return readRule(rule) === null ? { text: unreadableRule(rule), code: "rule.invalid" } : null;
}
