import type { ToolOverride } from "../core/catalog/override-tools.ts";
import type { Config } from "./config.ts";

/** `toolOverrides` as the catalog applies them. */
export function toOverrides({ toolOverrides }: Config): readonly ToolOverride[] {
  return [...toolOverrides].map(([tool, override]) => {
    const { origin, name, description, timeout, defer, group, id, feature, internal, examples, traits } = override;
    return {
      tool: { value: tool, origin },
      ...(name === null ? {} : { name: name.value }),
      ...(description === null ? {} : { description: description.value }),
      ...(timeout === null ? {} : { timeout: timeout.value }),
      ...(defer === null ? {} : { defer: defer.value }),
      ...(group === null ? {} : { group: group.value }),
      ...(id === null ? {} : { id: id.value }),
      ...(feature === null ? {} : { feature }),
      ...(internal === null ? {} : { internal: internal.value }),
      ...(examples === null ? {} : { examples: examples.value.map(({ value }) => value) }),
      ...(traits === null ? {} : { traits: traits.value }),
    };
  });
}
