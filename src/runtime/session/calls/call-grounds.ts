import type { Config, HookConfig } from "../../../config/config.ts";
import { isManaged } from "../../../config/managed.ts";
import { serverNamed } from "../../../config/servers-of.ts";
import { isServed, serverOf, standsForBuiltin, type Tool } from "../../../core/tool/tool.ts";
import { hookNames, isMatched } from "../../hooks/hook-matcher.ts";
import { HOOK_FUNCTIONS } from "../../hooks/hook-types.ts";
import { hooksOf } from "../../hooks/hooks-of.ts";
import type { Revision, RuledCall, RuleSetting } from "../../permissions/ruling.ts";
import type { Grounds } from "../../permissions/same-question.ts";

/** With every value, or without secrets, so that a digest of it can be stored. */
type Extent = "whole" | "stored";

export type GroundsOf = (call: RuledCall, revision: Revision, extent: Extent) => Grounds;

const GUARDS = ["preToolUse", "permissionRequest"] as const;
const SECRET: ReadonlySet<string> = new Set(["env", "headers", "auth", "transport", "clientSecret", "judge"]);

/** What decides about a call beside its rules, in the configuration as it is or was. */
export function createGrounds(means: RuleSetting["means"]): GroundsOf {
  return (call, { config, functions = {}, classifier = null }, extent) => {
    if (config === undefined) return NO_GROUNDS;
    const text = (value: unknown): string => toText(value, extent);
    // Code of the program itself is the same for as long as it is the same object, and nothing of it can be stored.
    const toCode = (code: unknown): unknown => (extent === "whole" ? (code ?? null) : Boolean(code));
    const commands = hooksOf(config);
    const names = hookNames(call.entry);
    const guards = GUARDS.map((event) =>
      (commands.get(event) ?? [])
        .filter(({ matcher, dialect, isAsync }) => !isAsync && isMatched(matcher, names, dialect))
        .map(({ matcher: _, ...hook }) => ({ ...hook, isManaged: isManaged(config, hook.origin) })),
    );
    return {
      program: [text(programOf(call.tool, config, extent))],
      hooks: [
        text([guards, setsNamedIn(guards.flat(), config)]),
        ...GUARDS.map((event) => toCode(Reflect.get(functions, HOOK_FUNCTIONS[event]))),
      ],
      filters: [text(filtersOf(call, config, means))],
      sandbox: [isServed(call.tool) ? "" : text(config.sandbox)],
      classifier: [text(config.permissions.classifier), toCode(classifier)],
    };
  };
}

/** Which agents there are, and which programs some of them are, is no part of its definition. */
const STARTS_AGENTS: ReadonlySet<string> = new Set(["task", "create_team"]);

const NO_GROUNDS: Grounds = { program: [], hooks: [], filters: [], sandbox: [], classifier: [] };

function programOf(tool: Tool, config: Config, extent: Extent): unknown {
  const name = serverOf(tool);
  if (name === null) {
    if (tool.source === "module") return config.tools;
    if (STARTS_AGENTS.has(tool.name) && standsForBuiltin(tool)) return config.agents;
    if (tool.source === "skill") return [config.skillDirectories, config.disabledSkills, config.skillPrograms];
    return tool.owner?.kind === "extension" ? [config.extensions, config.extensionFiles] : null;
  }
  const server = serverNamed(config, name);
  if (server === undefined) return null;
  const { launch, transport, inheritEnv, isolation, credentials, oauth } = server;
  const whose = { launch, isolation, credentials, oauth };
  // As a lock pins it: as written, so that each machine may have values of its own.
  return extent === "stored" ? whose : { ...whose, transport, inheritEnv };
}

/** A set of tools that a hook's condition names may have another member by now. */
function setsNamedIn(guards: readonly Pick<HookConfig, "when">[], { toolsets }: Config): unknown {
  const isNamed = guards.some(({ when }) =>
    toolsets.some(({ id, name }) => when?.includes(id) || when?.includes(name)),
  );
  return isNamed ? toolsets : null;
}

/** A set of tools that a filter names may have another member by now. */
function filtersOf(call: RuledCall, { filters, toolsets }: Config, means: RuleSetting["means"]): unknown {
  const all = filters.filter(({ on }) => on.includes("arguments"));
  const own = all.filter(
    ({ tools, except }) =>
      (tools === null || tools.value.some(({ value }) => means(value, call, "broadly"))) &&
      except?.value.some(({ value }) => means(value, call, "first")) !== true,
  );
  const names = all.flatMap(({ tools, except }) => [...(tools?.value ?? []), ...(except?.value ?? [])]);
  const isSet = names.some(({ value }) => toolsets.some(({ id, name }) => value === id || value === name));
  return [own, isSet ? toolsets : null];
}

/** Where a value stands is no part of it: lines of a file move. */
function toText(value: unknown, extent: Extent): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === "origin" || (extent === "stored" && SECRET.has(key))) return undefined;
    return inner instanceof Map || inner instanceof Set ? [...inner] : inner;
  });
}
