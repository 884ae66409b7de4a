import { any, choice, flag, list, map, number, record, text, to } from "../shape/shape.ts";
import { SOURCE_KINDS } from "../tool/source-kinds.ts";
import { DEFERRALS, INTERNAL_MARKS, OWNER_KINDS, type Tool, type ToolFields, toTool } from "../tool/tool.ts";
import { traitShape } from "../tool/trait-shape.ts";
import { toTraits } from "../tool/traits.ts";

const fields = {
  name: text({ required: true }),
  source: choice(SOURCE_KINDS),
  server: text(),
  owner: record({ kind: choice(OWNER_KINDS, { default: "host" }), name: text({ default: "" }) }),
  id: text(),
  aliases: list(text(), { default: [] }),
  examples: list(text(), { default: [] }),
  group: text(),
  title: text(),
  description: text({ default: "" }),
  inputSchema: any(),
  outputSchema: any(),
  harmless: flag({ default: false }),
  annotations: any(),
  traits: record(traitShape.fields, { sparse: true }),
  requires: map(flag()),
  variant: text(),
  feature: text(),
  defer: choice(DEFERRALS, { default: "auto" }),
  internal: choice(INTERNAL_MARKS),
  overridesBuiltInTool: flag({ default: false }),
  skipPermission: flag({ default: false }),
  isTerminal: flag({ default: false }),
  instructions: text(),
  timeout: number(0, { fraction: true }),
  rename: text(),
};

/** A definition as its source gave it; an original has no original, so this does not nest. */
const original = to(record(fields, { brief: true, sparse: true }), toDefinition, fromDefinition);

/** One tool of a world, possibly changed by overrides after its source defined it. */
export const toolShape = to(
  record({ ...fields, original }, { brief: true, sparse: true }),
  toDefinition,
  fromDefinition,
);

type Said = Partial<Omit<ToolFields, "requires" | "source">> & {
  readonly source?: Tool["source"] | null;
  readonly requires?: ReadonlyMap<string, boolean> | null;
};

function toDefinition(said: Said): Tool {
  const { source, name, requires = null } = said;
  const needs = requires === null ? [] : [...requires].flatMap(([need, wanted]) => (wanted ? [need] : []));
  // The built-in that asks a person needs one, whatever a world says (G2).
  const asks = (source ?? "builtin") === "builtin" && name === "ask_user" && !needs.includes("userInput");
  if (asks) needs.push("userInput");
  // What is null is as if it were absent. A world holds many tools and few needs, so most are not copied first.
  return toTool((needs.length === 0 && requires === null ? said : { ...said, requires: needs }) as ToolFields);
}

/** Writes only the traits that differ from the defaults, and whether it changes anything. */
function fromDefinition(tool: Tool): object {
  const { requires, traits } = tool;
  const cautious: object = toTraits({ readOnly: traits.readOnly });
  const said = Object.entries(traits).filter(
    ([key, value]) => key === "readOnly" || value !== Reflect.get(cautious, key),
  );
  return {
    ...tool,
    traits: Object.fromEntries(said),
    requires: requires.length === 0 ? null : new Map(requires.map((need) => [need, true])),
  };
}
