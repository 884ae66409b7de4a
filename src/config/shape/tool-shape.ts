import type { NamedSet } from "../../core/catalog/named-set.ts";
import {
  any,
  choice,
  either,
  list,
  map,
  names,
  number,
  partial,
  placed,
  record,
  sourcedShape,
  text,
  to,
} from "../../core/shape/shape.ts";
import { takesOwnName } from "../../core/shape/trust-marks.ts";
import { DEFERRALS, INTERNAL_MARKS } from "../../core/tool/tool.ts";
import { traitShape } from "../../core/tool/trait-shape.ts";

const feature = text({ about: "the feature flag that it needs" });

const moduleTool = to(
  record(
    {
      name: text({ about: "the name shown to people; calls go by the tool's own name", required: true }),
      group: text({ about: "its group, for `toolGroups`", nullable: true }),
      use: text({
        about: "`module:export`, relative to this file or a package",
        required: true,
        pattern: ".:[^:]+$",
      }),
      id: text({ about: "its identifier, if that is not its name" }),
      feature,
      internal: choice(INTERNAL_MARKS, { about: "restricts who may use it" }),
      options: map(any(), { about: "passed to the export, if that is a function that makes the tool" }),
    },
    { trust: { what: "module tool" } },
  ),
  ({ options, ...tool }, { node: { origin }, around }) => ({
    ...tool,
    options: Object.fromEntries(options ?? []) as Readonly<Record<string, unknown>>,
    /** The folder that a relative module starts from. */
    base: around.baseOf(origin),
    origin,
  }),
);

/** Tools loaded from modules. */
export const tools = list(moduleTool, { about: "tools loaded from modules", merge: "by-name", default: [] });

export const toolsets = to(
  map(
    either(
      [
        names({}),
        record({
          id: text({ about: "its identifier; `toolset:` and its name when left out" }),
          members: names({ about: "the tools in it", required: true }),
        }),
      ],
      {
        trust: {
          what: "toolset",
          when: takesOwnName,
          atOnce:
            "a set whose name you do not use: it comes after every other meaning of the name, and no rule allows by it",
        },
      },
    ),
    { about: "named sets of tools, for use in any list of tools", default: {} },
  ),
  (sets): readonly NamedSet[] =>
    [...sets].map(([name, set]) => {
      const id = `toolset:${name}`;
      return "members" in set ? { id: set.id ?? id, name, members: set.members } : { id, name, members: set };
    }),
);

const toolOverride = placed(
  record(
    {
      name: sourcedShape(text({ about: "another wire name" })),
      description: sourcedShape(text({ about: "another description", blank: true })),
      timeout: sourcedShape(number(1, { about: "milliseconds a call may take" })),
      defer: sourcedShape(choice(DEFERRALS, { about: "whether it may be deferred" })),
      group: sourcedShape(text({ about: "its group" })),
      id: sourcedShape(text({ about: "another identifier" })),
      feature: sourcedShape(feature),
      internal: sourcedShape(choice(INTERNAL_MARKS, { about: "restricts who may use it" })),
      examples: names({ about: "example requests by which `tool_search` finds it" }),
      traits: sourcedShape(partial(traitShape)),
    },
    { trust: { what: "changed tool" } },
  ),
);

export const toolOverrides = map(toolOverride, {
  about: "changes to single tools, by any of their identifiers",
  default: {},
});
