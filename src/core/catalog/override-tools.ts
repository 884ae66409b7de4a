import type { Sourced } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import type { Deferral, InternalMark, Tool } from "../tool/tool.ts";
import { type Traits, toTraits } from "../tool/traits.ts";
import { buildCatalog, type Catalog, type CatalogOptions } from "./catalog.ts";
import type { NamedSet } from "./named-set.ts";
import { resolveList } from "./resolve-list.ts";
import { createResolver } from "./resolver.ts";

/** One line of `toolOverrides`: which tools, and what changes about them. */
export interface ToolOverride {
  /** Any identifier of the one resolver. */
  readonly tool: Sourced<string>;
  /** The name that models use. */
  readonly name?: string;
  /** The description that models read instead of the tool's own. */
  readonly description?: string;
  /** Timeout of a call in milliseconds. */
  readonly timeout?: number;
  /** Whether it may wait behind `tool_search`. */
  readonly defer?: Deferral;
  /** Its group, for `toolGroups`. */
  readonly group?: string;
  /** An additional identifier for lists. */
  readonly id?: string;
  /** The feature flag without which it is not offered. */
  readonly feature?: Sourced<string>;
  /** The only users it is offered to. */
  readonly internal?: InternalMark;
  /** Its effects, overriding what the tool declares. */
  readonly traits?: Partial<Traits>;
  /** Added to the tool's own examples. */
  readonly examples?: readonly string[];
}

interface OverriddenCatalog {
  readonly catalog: Catalog;
  readonly notices: readonly Notice[];
}

/**
 * A catalog with `toolOverrides` applied. Identity, signature and trust stay those of the original definition, so an
 * override can neither hide a changed tool from its pin nor disguise one tool as another.
 */
export function buildOverriddenCatalog(
  tools: readonly Tool[],
  overrides: readonly ToolOverride[],
  { sets = [], servers = [], ...rest }: CatalogOptions & { readonly sets?: readonly NamedSet[] } = {},
): OverriddenCatalog {
  const options = { ...rest, servers: [...servers] };
  if (overrides.length === 0) return { catalog: buildCatalog(tools, options), notices: [] };
  const plain = buildCatalog(tools, options);
  const resolver = createResolver({ catalog: plain, sets, servers: options.servers });
  const changed = new Map<Tool, Tool>();
  const notices: Notice[] = [];
  for (const override of overrides) {
    const list = resolveList(resolver, "toolOverrides", { value: [override.tool], origin: override.tool.origin });
    notices.push(...list.notices);
    for (const entry of plain.entries) {
      if (list.mentions.has(entry))
        changed.set(entry.tool, withOverride(changed.get(entry.tool) ?? entry.tool, override));
    }
  }
  return {
    catalog: buildCatalog(
      tools.map((tool) => changed.get(tool) ?? tool),
      options,
    ),
    notices,
  };
}

function withOverride(
  tool: Tool,
  { name, description, timeout, defer, group, id, feature, internal, traits, examples = [] }: ToolOverride,
): Tool {
  return {
    ...tool,
    rename: name ?? tool.rename,
    description: description ?? tool.description,
    timeout: timeout ?? tool.timeout,
    defer: defer ?? tool.defer,
    group: group ?? tool.group,
    id: id ?? tool.id,
    feature: feature?.value ?? tool.feature,
    featureAt: feature?.origin ?? tool.featureAt,
    internal: internal ?? tool.internal,
    examples: examples.length === 0 ? tool.examples : [...tool.examples, ...examples],
    traits: traits === undefined ? tool.traits : toTraits({ ...tool.traits, ...traits }),
    original: tool.original ?? tool,
  };
}
