import type { Reason } from "../codes/reason.ts";
import { HOST_NEEDS, type Model } from "../scene/scene.ts";
import { remember } from "../shape/remember.ts";
import { type AnyGate, hideFor, pass } from "./gate.ts";

/** The variant of a slot if the model's tool config names none. */
const DEFAULT_VARIANTS: ReadonlyMap<string, string> = new Map([["edit", "edit:replace"]]);
/** Variants only for models that name them; without a model nobody wants them. */
const ASKED_FOR: ReadonlySet<string> = new Set(["edit:commands"]);
const HOST: ReadonlySet<string> = new Set(HOST_NEEDS);

/** A tool must suit the model: its input kinds, and the variant its tool config picks (G4). */
export const modelGate = {
  name: "model",
  judge({ tool }, { model }) {
    if (tool.requires.length === 0 && tool.variant === null) return pass;
    if (model === null) return tool.variant !== null && ASKED_FOR.has(tool.variant) ? unwanted(tool.variant) : pass;
    const reasons: Reason[] = tool.requires
      .filter((need) => !HOST.has(need) && !has(model, need))
      .map((need) => ({
        code: "model.lacks-capability",
        text: `needs ${need}, which model "${model.id}" lacks`,
        origin: model.origin,
        fix: `choose a model with ${need}, or set models."${model.id}".capabilities.${need}: true if it has it`,
      }));
    const picked = tool.variant === null ? null : otherVariant(tool.variant, model);
    if (picked !== null) {
      reasons.push({
        code: "model.other-variant",
        text: `model "${model.id}" uses ${picked} in place of ${tool.variant}`,
        origin: model.origin,
        fix: `choose another model, or set models."${model.id}".variants: ["${tool.variant}"]`,
      });
    }
    return hideFor(reasons);
  },
} as const satisfies AnyGate;

function unwanted(variant: string): ReturnType<typeof hideFor> {
  const text = `only models that ask for ${variant} use it, and no model is set`;
  const fix = `set a model, and models.NAME.variants: ["${variant}"] for it`;
  return hideFor([{ code: "model.other-variant", text, origin: { kind: "default" }, fix }]);
}

function has({ capabilities }: Model, need: string): boolean {
  const value = capabilities.get(need);
  return value !== undefined && value !== false;
}

/** The variants that the model takes for this slot instead, or null when this one suits. */
function otherVariant(variant: string, model: Model): string | null {
  const slot = slotOf(variant);
  const named = variantsOf(model).get(slot);
  if (named?.has(variant)) return null;
  if (named !== undefined) return [...named].slice(0, MAX_NAMED).join(", ");
  const usual = DEFAULT_VARIANTS.get(slot);
  return usual === undefined || usual === variant ? null : usual;
}

/** Grouped by slot once per model, however many tools are judged. */
const variantsOf = remember((model: Model): ReadonlyMap<string, ReadonlySet<string>> => {
  const grouped = new Map<string, Set<string>>();
  for (const variant of model.variants) {
    const slot = grouped.get(slotOf(variant)) ?? new Set();
    grouped.set(slotOf(variant), slot.add(variant));
  }
  return grouped;
});
const MAX_NAMED = 3;

function slotOf(variant: string): string {
  const colon = variant.indexOf(":");
  return colon === -1 ? variant : variant.slice(0, colon);
}
