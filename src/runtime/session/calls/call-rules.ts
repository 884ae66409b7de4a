import { realpathSync } from "node:fs";
import type { Config } from "../../../config/config.ts";
import { denyRules } from "../../../config/deny-rules.ts";
import type { Sourced } from "../../../core/codes/origin.ts";
import type { FolderAlias } from "../../../core/rules/paths.ts";
import { parseRule, type Rule } from "../../../core/rules/rule.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { SessionHooks } from "../../hooks/hook-types.ts";
import { findFolders } from "../../permissions/added-folders.ts";
import { createHostFinder } from "../../permissions/host-finder.ts";
import { createMeantTools } from "../../permissions/meant-tools.ts";
import type { RuleSetting } from "../../permissions/ruling.ts";

/** What names of tools mean, and what active skills allow. */
export interface NamedTools {
  readonly scene: Pick<Toolset["scene"], "resolver" | "skills" | "skillToolPolicy">;
}

export interface CallRulePorts {
  readonly config: () => Config;
  /** Hooks and classifier of the program itself; none if absent. */
  readonly functions?: (() => SessionHooks) | undefined;
  readonly classifier?: (() => unknown) | undefined;
  readonly toolset: () => NamedTools;
  readonly workspace: string;
  readonly home: string;
  /** The variable PATH; empty if absent. */
  readonly path?: string;
}

/** The rules and the mode of a session as they are at each call; the same object while nothing about them changed. */
export function createRuleSettings({
  config,
  toolset,
  functions,
  classifier,
  ...given
}: CallRulePorts): () => RuleSetting {
  let known: RuleSetting | null = null;
  let knownConfig: Config | null = null;
  let knownSkills = "";
  let knownToolset: NamedTools | null = null;

  const meant = createMeantTools(() => toolset().scene.resolver);

  return () => {
    const now = config();
    const tools = toolset();
    if (known !== null && knownConfig === now && knownToolset === tools) return known;
    const preapproved = preapprovedBy(tools);
    const skills = JSON.stringify(preapproved.map(({ value }) => value.text));
    knownToolset = tools;
    if (known !== null && knownConfig === now && knownSkills === skills) return known;
    const { mode, sandboxed, ask, allow } = now.permissions;
    knownConfig = now;
    knownSkills = skills;
    known = {
      lists: { deny: denyRules(now), ask, allow: [...allow, ...preapproved] },
      mode,
      sandboxed,
      ...toRuleWorld({ ...given, added: findFolders(now).found }),
      host: () => createHostFinder(now, { ...given, added: findFolders(now).found }),
      ...meant,
      names: () => toolset().scene.resolver,
      revision: { config: now, functions: functions?.() ?? NO_HOOKS, classifier: classifier?.() },
    };
    return known;
  };
}

const NO_HOOKS: SessionHooks = {};

/** The folders that path rules are compared with, by their real paths. */
export function toRuleWorld({ workspace, added, home }: { workspace: string; added: readonly string[]; home: string }) {
  const [work, own] = [toAlias(workspace), toAlias(home)];
  const further = added.map(toAlias);
  return {
    workspace: work.real,
    added: further.map(({ real }) => real),
    home: own.real,
    aliases: [work, ...further, own].filter((alias) => alias.given !== alias.real),
  };
}

/** Where a folder really is: links in front of it would hide from rules that a path leads into it. */
function toAlias(given: string): FolderAlias {
  try {
    return { given, real: realpathSync(given) };
  } catch {
    return { given, real: given };
  }
}

/** Under `preapprove`, what active skills name needs no question (G11). */
function preapprovedBy({ scene }: NamedTools): readonly Sourced<Rule>[] {
  if (scene.skillToolPolicy.value !== "preapprove") return [];
  return scene.skills
    .filter(({ active }) => active)
    .flatMap(({ allowedTools }) => allowedTools?.value ?? [])
    .flatMap(({ value, origin }) => {
      try {
        return [{ value: parseRule(value, origin), origin }];
      } catch {
        return [];
      }
    });
}
