import { EACH, type Measure, PERIODS, type UsageLimit } from "../../core/limits/usage-limit.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { choice, either, type Flaw, flag, list, names, number, placed, record, to } from "../../core/shape/shape.ts";
import { someNames, toList } from "./some-names.ts";

const MEASURES = ["calls", "atOnce", "tokens", "money"] as const satisfies readonly Measure[];

const limit = to(
  placed(
    record(
      {
        calls: number(0, { about: "so many calls" }),
        atOnce: number(1, { about: "so many calls that run at the same time" }),
        tokens: number(0, { about: "so many tokens of results, four characters each" }),
        money: number(0, { about: "so many US dollars for models, where Toolcrib runs the agent", fraction: true }),
        per: choice(PERIODS, { about: "in which time, by the clock of UTC; for all but `atOnce`" }),
        each: to(
          either([choice(EACH), list(choice(EACH))], {
            about: "what has this amount for itself; `[]`: all callers share it",
            default: ["person"],
          }),
          toList,
        ),
        group: someNames("for members of these people groups alone"),
        client: someNames("for these clients alone, by id or by the host of an id that is an address"),
        server: someNames("for tools of these servers alone"),
        tools: names({ about: "for these tools alone" }),
        soft: flag({ about: "true: nothing is refused; the log and the model are told", default: false }),
      },
      { valid: checkLimit },
    ),
  ),
  ({ origin, per, each, group, client, server, tools, soft, ...amounts }): UsageLimit => {
    const measure = MEASURES.find((name) => amounts[name] !== null) ?? "calls";
    const most = amounts[measure] ?? 0;
    return {
      ...{ origin, measure, period: per, each, tools, isSoft: soft, profile: null },
      most: measure === "money" ? Math.round(most * 1e6) : most,
      groups: group,
      clients: client,
      servers: server,
    };
  },
);

/** How much callers may use (O13). */
export const usageLimits = list(limit, {
  about: "how much callers may use: calls, calls at once, tokens of results, money for models",
  merge: "union",
  default: [],
  trust: { what: "limit" },
});

function checkLimit(node: ConfigNode): Flaw | null {
  const has = (key: string): boolean => !isNull(nodeAt(node, key));
  const amounts = MEASURES.filter(has);
  if (amounts.length !== 1) return { text: `needs exactly one of ${MEASURES.join(", ")}` };
  const [amount] = amounts;
  if (amount === "atOnce" && has("per")) return { text: "has calls at once, which have no time: leave out `per`" };
  if (amount !== "atOnce" && !has("per")) return { text: `needs a time for its ${amount}: per minute, day or month` };
  const about = ["server", "tools"].filter(has);
  const each = nodeAt(node, "each");
  const named = each?.kind === "list" ? each.items : each === undefined ? [] : [each];
  const isEach = (name: string): boolean => named.some((item) => item.kind === "scalar" && item.value === name);
  if (amount === "money" && (about.length > 0 || isEach("server") || isEach("tool")))
    return { text: "counts money for models, which belongs to no server and no tool" };
  if (isEach("group") && !has("group")) return { text: "has an amount for each people group, and names no `group`" };
  return null;
}
