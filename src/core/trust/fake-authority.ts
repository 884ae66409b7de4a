import { toSentences } from "./plain-text.ts";

/** Markup that only a host, a provider or a person would write. */
const MARKUP: readonly RegExp[] = [
  /<\s{0,3}(?:system|sys|secret|hidden|directive|override|admin|system[-_ ]?(?:prompt|message|note|reminder|instructions?|override)|hidden[-_ ]?(?:prompt|instructions?)|assistant[-_ ]?(?:instructions?|only|note|directive)|(?:ai|llm|model|agent)[-_ ]?(?:instructions?|only|note|directive)s?|instructions?[-_ ]?(?:for|to)[-_ ]?(?:the[-_ ]?)?(?:ai|llm|model|agent|assistant))(?![\w-])[^<>\n]{0,60}>\s{0,3}[^<\s]/u,
  /<[a-z]{1,20} (?:audience|for|to|reader|role)=['"]?(?:ai|llm|model|agent|assistant|system)\b/u,
  /<\|\s{0,3}(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|tool)\s{0,3}\|>/u,
  /\[\/?inst\]|<<\/?sys>>/u,
  /\{\s{0,3}['"]?role['"]?\s{0,3}:\s{0,3}['"]?(?:system|developer|assistant)\b/u,
  /\[\s{0,3}(?:system|sys|admin|developer|root|ai|assistant|llm|hidden)(?:[- ](?:note|message|prompt|instructions?|override|directive|only|notice|command|alert|update|mode)s?)\s{0,3}[:\]]/u,
  /\[\s{0,3}(?:system|hidden|internal only|ai only|llm only)\s{0,3}[:\]]\s{0,3}\S/u,
  /(?:^|[\n.>)\]|-]\s{0,3})#{0,6}\s{0,3}(?:system|assistant|developer|admin|operator) (?:prompt|message|note|instructions?|override|notice|directive|command|update|alert)s?\s{0,3}:\s{0,3}\S/u,
  /(?:begin|start|end) (?:of )?(?:system|hidden|secret|admin|developer) (?:prompt|message|instructions?|note|block)/u,
  /(?:^|\n)\s{0,3}-{3,}\s{0,3}(?:system|admin|developer|new instructions?)\b/u,
];
/** Every one of these patterns contains this. */
const WORTH_A_LOOK = /[<[{:]|-{3}|(?:begin|start|end) /u;

/** In capitals, with a colon, at the start of a sentence: nobody documents a parameter like that. */
const SHOUTED = /(?:^|[\n.!>)\]]\s{0,3})(?:SYSTEM|SYSTEM PROMPT|ASSISTANT|ADMIN|ROOT|DEVELOPER MODE)\s{0,3}:\s+\S/u;
/** `Renders messages with <|im_start|> markers.` What the first sentence names is what the tool works on. */
const NAMED =
  /^[a-z]{2,20}s [^<[.!?]{0,120}\b(?:such as|e\.g|like|with|of|markers?|tokens?|tags?|templates?|format)\b[^<[!?]{0,40}[<[]/u;

/** Text that poses as the host. */
export function speaksAsHost(raw: string, plain: string): boolean {
  if (SHOUTED.test(raw)) return true;
  if (!WORTH_A_LOOK.test(plain)) return false;
  return hasMarkup(plain) && !(NAMED.test(plain) && !hasMarkup(toSentences(plain).slice(1).join("\n")));
}

function hasMarkup(plain: string): boolean {
  return MARKUP.some((pattern) => pattern.test(plain));
}

/** Rendered descriptions do not show comments to people, but models read them. */
export function hidesInComment(plain: string): boolean {
  if (!plain.includes("<!--") && !plain.includes("[//]")) return false;
  if (/<!--\s{0,3}(?:ai|llm|assistant|model|agent|system|hidden)\b/u.test(plain)) return true;
  for (const [, inside = ""] of plain.matchAll(/<!--([\s\S]{0,1000}?)-->|\[\/\/\]: # \(/gu))
    if ((inside.match(/\p{L}{2,}/gu)?.length ?? 0) >= 4) return true;
  return /\[\/\/\]: # \([^)]{15,}/u.test(plain);
}
