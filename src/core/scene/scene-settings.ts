import type { NameList } from "../codes/origin.ts";
import { readNames } from "../shape/read-node.ts";
import {
  choice,
  either,
  type FieldsOf,
  flag,
  map,
  names,
  number,
  record,
  type Shape,
  sourcedShape,
  to,
} from "../shape/shape.ts";
import { isNoneOf, replacesOwn } from "../shape/trust-marks.ts";

export const SKILL_TOOL_POLICIES = ["restrict", "preapprove", "off"] as const;
export type SkillToolPolicy = (typeof SKILL_TOOL_POLICIES)[number];

/**
 * When tools are deferred: over `threshold` tools, over `percent` of the context window, always or never. A null
 * threshold was not configured: the default applies, but not for a client.
 */
export type ToolSearch =
  | { readonly use: "on" | "off" }
  | { readonly use: "auto"; readonly threshold: number | null; readonly percent: number };

export const DEFAULT_TOOL_SEARCH = { use: "auto", threshold: null, percent: 10 } as const satisfies ToolSearch;

/** If managed policy narrows it, the list is the intersection of several. */
export interface GroupList extends NameList {
  readonly narrows?: readonly NameList[];
}

/** The written form of deferral; programs may write any fraction as the percentage. */
export const toolSearchOf = (percent: Shape<number, null>) =>
  to(
    either(
      [
        choice(["auto", "on", "off"]),
        record({ threshold: number(0, { about: "defer tools when there are more than this" }), percent }),
      ],
      {
        about: "when to defer tools, so that the model finds them with `tool_search`",
        merge: "replace",
        default: "auto",
        trust: {
          what: "search setting",
          when: replacesOwn,
          atOnce: "any value, where you set none: it changes when definitions are sent, never which",
        },
      },
    ),
    (said): ToolSearch => {
      if (said === "on" || said === "off") return { use: said };
      const { threshold, percent: most } = said === "auto" ? DEFAULT_TOOL_SEARCH : said;
      return { use: "auto", threshold, percent: most ?? DEFAULT_TOOL_SEARCH.percent };
    },
    (search) => {
      if (search.use !== "auto") return search.use;
      const { threshold, percent: most } = search;
      if (threshold !== null) return { threshold, percent: most };
      return most === DEFAULT_TOOL_SEARCH.percent ? "auto" : { percent: most };
    },
  );

export const CODE_USES = ["off", "on", "auto"] as const;
export type CodeUse = (typeof CODE_USES)[number];

/** Settings that gates read as written: they have one name in a file, in a scene and in a world. */
export const sceneSettings = {
  toolGroups: to(
    names({
      about: "only the tools of these groups; null means all groups",
      nullable: true,
      narrow: true,
      default: null,
      trust: {
        what: "tool groups",
        when: replacesOwn,
        atOnce: "any list, where you set none: it only takes away",
      },
    }),
    (groups, { node }): GroupList => {
      const lists = node.kind === "list" ? (node.narrows ?? []).flatMap((narrow) => readNames(narrow) ?? []) : [];
      return lists.length === 0 ? groups : { ...groups, narrows: lists };
    },
    (groups) => groups,
  ),
  features: map(
    sourcedShape(flag({ trust: { what: "feature", when: isNoneOf(false), atOnce: "`false`: it turns off" } })),
    {
      about:
        "feature flags; one that is not listed is off. `memory` turns memory on, `schedule` the tools that need a schedule",
      default: {},
    },
  ),
  skillToolPolicy: sourcedShape(
    choice(SKILL_TOOL_POLICIES, {
      about: "what `allowed-tools` of a skill does",
      default: "restrict",
      trust: { what: "policy of skills", when: isNoneOf("restrict"), atOnce: "`restrict`: it is the strictest" },
    }),
  ),
  toolSearch: sourcedShape(
    toolSearchOf(
      number(0, {
        about: "defer tools when definitions take more than this percentage of the model's context",
        most: 100,
      }),
    ),
  ),
  code: sourcedShape(
    choice(CODE_USES, {
      about:
        "whether the model calls tools from code, through the one tool `run_code`; `auto`: when definitions are too large and nobody searches",
      default: "off",
      trust: { what: "code setting", when: isNoneOf("off"), atOnce: "`off`: it takes a tool away" },
    }),
  ),
};
export type SceneSettings = FieldsOf<typeof sceneSettings>;
