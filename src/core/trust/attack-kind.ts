import type { EvidenceStanding, SentenceVerdict } from "./evidence.ts";
import type { Signal } from "./signal.ts";
import { CLASS } from "./word-classes.ts";

type Kind = Pick<Signal, "name" | "text">;

const { secret, private: own, talk, speech, thing, contents, hidden } = CLASS;
const { dismiss, rule, not, tell, person, blame } = CLASS;
const LOOT = secret | own | talk | speech;

/** `read_file`, `files.read_file`: a tool, not an ordinary word. */
const NAMED = /(?<![\w/.-])[a-z]\w*[_.][a-z]\w*(?![\w/])/;

/** The kinds of attacks, by the word classes of a sentence; the first match counts. */
const KINDS: readonly (Kind & {
  readonly fits: (has: number, standing: EvidenceStanding, isBid: boolean) => boolean;
})[] = [
  {
    name: "imperative-to-model",
    text: "puts aside what others told the model",
    fits: (has) => (has & dismiss) !== 0 && (has & rule) !== 0,
  },
  {
    name: "context-harvest-param",
    text: "asks for what is secret",
    fits: (has, standing) => isParameter(standing) && (has & (secret | own)) !== 0,
  },
  {
    name: "context-harvest-param",
    text: "asks for what the model was told or knows",
    fits: (has, standing) => isParameter(standing) && (has & (talk | speech | thing | contents)) !== 0,
  },
  {
    name: "preference-steering",
    text: "wants to be chosen for more than it does",
    fits: (_has, _standing, isBid) => isBid,
  },
  {
    name: "imperative-to-model",
    text: "wants something kept from the user",
    fits: (has) => (has & hidden) !== 0 || ((has & not) !== 0 && (has & tell) !== 0 && (has & person) !== 0),
  },
  {
    name: "imperative-to-model",
    text: "has the model hand over what is not the tool's business",
    fits: (has) => (has & LOOT) !== 0,
  },
];

export function toAttackKind(
  sentence: string,
  { has, isBid }: Pick<SentenceVerdict, "has" | "isBid">,
  standing: EvidenceStanding,
): Kind {
  if (isBid && (has & blame) !== 0 && NAMED.test(sentence)) return USURPS;
  const { name, text } = KINDS.find(({ fits }) => fits(has, standing, isBid)) ?? FALLBACK;
  return { name, text };
}

const USURPS: Kind = {
  name: "cross-tool-instruction",
  text: "says that another tool is not to be used, and takes its place",
};
const FALLBACK: Kind = { name: "imperative-to-model", text: "gives orders to the model that reads it" };

function isParameter(standing: EvidenceStanding): boolean {
  return standing === "parameter" || standing === "key";
}
