import { type CompiledRules, compileRules } from "../../core/rules/compile-rules.ts";
import type { PathWorld } from "../../core/rules/paths.ts";
import type { ShellReader } from "../../system/shell/read-command-line.ts";
import { type ClientRule, RULE_LISTS, type RuleClient, type RuleList } from "./client-rule.ts";
import { compileClientRules } from "./read-client-rules.ts";
import { judgeSample, sampleOf, showSample } from "./sample-call.ts";

/** A call about which clients say different things. */
export interface Disagreement {
  readonly call: string;
  readonly answers: readonly { readonly client: RuleClient; readonly list: RuleList; readonly rule: ClientRule }[];
  /** What counts where all of them are in one file: the strictest. */
  readonly together: RuleList;
}

/** Calls that one client's rules are about, and what the others' rules say about them. */
export async function compareClients(
  rules: readonly ClientRule[],
  shell: ShellReader,
  world: PathWorld,
): Promise<readonly Disagreement[]> {
  const clients = [...new Set(rules.map(({ client }) => client))];
  const own = new Map<RuleClient, CompiledRules>();
  for (const client of clients)
    own.set(
      client,
      await compileClientRules(
        rules.filter((rule) => rule.client === client),
        world,
      ),
    );
  const found = new Map<string, Disagreement>();
  for (const text of new Set(rules.flatMap((rule) => rule.rules))) {
    const call = sampleOf(text);
    if (call === null) continue;
    const answers = clients.flatMap((client): Disagreement["answers"] => {
      const decision = judgeSample(call, own.get(client) ?? compileRules(NONE, world), shell, {
        ...world,
        allowReadOnly: false,
      });
      const rule = rules.find((one) => one.client === client && one.rules.includes(decision.rule ?? ""));
      return rule === undefined ? [] : [{ client, list: rule.list, rule }];
    });
    const together = RULE_LISTS.find((list) => answers.some((answer) => answer.list === list));
    if (together === undefined || answers.every(({ list }) => list === together)) continue;
    const key = answers.map(({ rule }) => rules.indexOf(rule)).join();
    if (!found.has(key)) found.set(key, { call: showSample(call), answers, together });
  }
  return [...found.values()];
}

const NONE = { deny: [], ask: [], allow: [] };
