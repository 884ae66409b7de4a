import { formatOrigin } from "../codes/origin.ts";
import type { Measure, UsageLimit } from "./usage-limit.ts";

/** Such as: 100 calls a minute for each person, of github (toolcrib.yaml:12). */
export function describeLimit(limit: UsageLimit): string {
  const { measure, most, period, each, groups, clients, servers, tools } = limit;
  const amount = `${describeAmount(measure, most)}${period === null ? "" : ` a ${period}`}`;
  const whose = each.length === 0 ? "for all together" : `for each ${each.map(nameOf).join(" and ")}`;
  const about = [
    ...[groups === null ? [] : [`people group ${groups.join(" or ")}`]],
    ...[clients === null ? [] : [`client ${clients.join(" or ")}`]],
    ...[servers === null ? [] : [`server ${servers.join(" or ")}`]],
    ...[tools === null ? [] : [tools.value.map(({ value }) => value).join(" or ")]],
  ].flat();
  const where = about.length === 0 ? "" : `, about ${about.join(", ")}`;
  return `${amount} ${whose}${where} (${formatOrigin(limit.origin)})`;
}

export function describeAmount(measure: Measure, amount: number): string {
  switch (measure) {
    case "calls":
      return amount === 1 ? "1 call" : `${amount} calls`;
    case "atOnce":
      return amount === 1 ? "1 call at once" : `${amount} calls at once`;
    case "tokens":
      return amount === 1 ? "1 token of results" : `${amount} tokens of results`;
    case "money":
      return `$${(amount / 1e6).toFixed(2)} for models`;
  }
}

/** Why a call of a budget is refused now. */
export type Lack =
  /** Used up until then, in milliseconds since 1970. */
  | { readonly kind: "used"; readonly until: number }
  /** What is left is set aside for other machines until then. */
  | { readonly kind: "elsewhere"; readonly until: number }
  /** As many calls as may run at once do run. */
  | { readonly kind: "running" }
  /** Nobody can say, because the store does not answer. */
  | { readonly kind: "unknown" };

function nameOf(each: UsageLimit["each"][number]): string {
  return each === "group" ? "people group" : each;
}
