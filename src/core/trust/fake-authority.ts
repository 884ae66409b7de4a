import { toSentences } from "./plain-text.ts";
import { createSieve } from "./sieve.ts";
import { isHarmless } from "./weigh-sentence.ts";

/** Markup that only a host, a provider or a person behind them would write. */
const MARKUP: readonly RegExp[] = [
  /<\s{0,3}(?:system|sys|secret|hidden|directive|override|admin|system[-_ ]?(?:prompt|message|note|reminder|instructions?|override)|hidden[-_ ]?(?:prompt|instructions?)|assistant[-_ ]?(?:instructions?|only|note)|(?:ai|llm|model|agent)[-_ ]?(?:instructions?|only|note|directive)s?|instructions?[-_ ]?(?:for|to)[-_ ]?(?:the[-_ ]?)?(?:ai|llm|model|agent|assistant))(?![\w-])[^<>\n]{0,60}>\s{0,3}[^<\s]/u,
  /<\|\s{0,3}(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|tool)\s{0,3}\|>/u,
  /\[\/?inst\]|<<\/?sys>>/u,
  /\[\s{0,3}(?:system|sys|admin|developer|root|ai|assistant|llm|hidden)(?: (?:note|message|prompt|instructions?|override|directive|only|notice|command|alert|update|mode)s?)\s{0,3}[:\]]/u,
  /\[\s{0,3}(?:system|hidden|internal only|ai only|llm only)\s{0,3}[:\]]\s{0,3}\S/u,
  /(?:^|[\n.>)\]|-]\s{0,3})#{0,6}\s{0,3}(?:system|assistant|developer|admin|operator) (?:prompt|message|note|instructions?|override|notice|directive|command|update|alert)s?\s{0,3}:\s{0,3}\S/u,
  /(?:begin|start|end) (?:of )?(?:system|hidden|secret|admin|developer) (?:prompt|message|instructions?|note|block)/u,
  /(?:^|\n)\s{0,3}-{3,}\s{0,3}(?:system|admin|developer|new instructions?)\b/u,
];

/** In capitals, with a colon, where a sentence starts: nobody documents a parameter like that. */
const SHOUTED = /(?:^|[\n.!>)\]]\s{0,3})(?:SYSTEM|SYSTEM PROMPT|ASSISTANT|ADMIN|ROOT|DEVELOPER MODE)\s{0,3}:\s+\S/u;

/** Stress alone is a matter of taste; stress on what its reader has to do is not. */
const STRESSED =
  /<\s{0,3}(?:important|critical|urgent|mandatory|warning|attention|notice)(?![\w-])[^<>\n]{0,60}>[^<]{0,400}\b(?:you|your|must|should|always|never|do not|don't|read|open|send|call|invoke|before|after|first|ignore|include|pass|copy|append|tell|user|assistant|model|ai|run|execute|use|instead|file|keys?|tokens?)\b/u;
const LOUD = /SYSTEM|ASSISTANT|ADMIN|ROOT|DEVELOPER/u;
const hasMarkup = createSieve(MARKUP);

/** Speaks as somebody it is not. */
export function speaksAsHost(raw: string, plain: string): boolean {
  if (LOUD.test(raw) && SHOUTED.test(raw)) return true;
  if (plain.includes("<") && isStressed(plain)) return true;
  return hasMarkup(plain) && !(NAMED.test(plain) && !hasMarkup(withoutFirst(plain)));
}

/** `Renders messages with <|im_start|> markers.` What the first sentence names is what the tool works on. */
const NAMED =
  /^[a-z]{2,20}s [^<[.!?]{0,120}\b(?:such as|e\.g|like|with|of|markers?|tokens?|tags?|templates?|format)\b[^<[!?]{0,40}[<[]/u;

function withoutFirst(plain: string): string {
  return toSentences(plain).slice(1).join("\n");
}

function isStressed(plain: string): boolean {
  const stressed = STRESSED.exec(plain);
  if (stressed === null) return false;
  const inside = plain.slice(stressed.index).replace(/^[^>]*>/u, "");
  const sentences = toSentences(inside.split("<", 1)[0] ?? "");
  return !sentences.every((sentence) => isHarmless(sentence, "description", NO_SLOTS));
}

const NO_SLOTS: ReadonlySet<string> = new Set();

/** Text in a comment is shown to no person where descriptions are rendered, and to every model. */
export function hidesInComment(plain: string): boolean {
  if (!plain.includes("<!--") && !plain.includes("[//]")) return false;
  if (/<!--\s{0,3}(?:ai|llm|assistant|model|agent|system|hidden)\b/u.test(plain)) return true;
  for (const [, inside = ""] of plain.matchAll(/<!--([\s\S]{0,1000}?)-->|\[\/\/\]: # \(/gu))
    if ((inside.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4) return true;
  return /\[\/\/\]: # \([^)]{15,}/u.test(plain);
}
