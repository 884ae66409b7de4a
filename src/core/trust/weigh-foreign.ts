import { CLASSES, type EvidenceStanding, type SentenceVerdict, toClassIndex } from "./evidence.ts";
import { asStanding, type ForeignClasses } from "./foreign-classes.ts";
import { FOREIGN_WEIGHTS } from "./foreign-weights.ts";
import { eachWeight, PLACES } from "./weight-tables.ts";
import { CLASS } from "./word-classes.ts";

const { choose, other, tool, blame, secret, private: own, talk, tell, hidden, dismiss } = CLASS;
const LOOT = secret | own | talk | tell | hidden | dismiss;

/** By position, the weight of a class; and the weight of two in one sentence, in any order. */
let weights: { readonly classes: Float64Array; readonly pairs: Float64Array } | null = null;

/** Weighs a sentence by its classes and by each pair of them. */
export function weighForeign({ has: own }: ForeignClasses, standing: EvidenceStanding): SentenceVerdict {
  const has = asStanding(own, standing);
  weights ??= toTables();
  const { classes, pairs } = weights;
  let score = FOREIGN_WEIGHTS.bias;
  for (let bits = has; bits !== 0; bits &= bits - 1) {
    const at = toClassIndex(bits);
    score += classes[at] ?? 0;
    for (let rest = bits & (bits - 1); rest !== 0; rest &= rest - 1)
      score += pairs[at * CLASSES + toClassIndex(rest)] ?? 0;
  }
  const isBid = (has & choose) !== 0 && (has & (other | tool | blame)) !== 0 && (has & LOOT) === 0;
  return { score, has, isBid };
}

function toTables() {
  const classes = new Float64Array(CLASSES);
  const pairs = new Float64Array(CLASSES * CLASSES);
  eachWeight(FOREIGN_WEIGHTS.classes, (name, weight) => {
    classes[PLACES.get(name) ?? 0] = weight;
  });
  eachWeight(FOREIGN_WEIGHTS.pairs, (both, weight) => {
    const [first = "", next = ""] = both.split("+");
    pairs[(PLACES.get(first) ?? 0) * CLASSES + (PLACES.get(next) ?? 0)] = weight;
  });
  return { classes, pairs };
}
