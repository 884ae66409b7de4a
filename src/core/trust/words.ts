/** Up to `most` words between two that matter; bounded, so that no text makes a pattern slow. */
export function gap(most: number): string {
  return `(?: [^ ]{1,40}){0,${most}}?`;
}

/** A pattern of parts that stand one after the other, each from the start of a word to the end of one. */
export function phrase(...parts: readonly string[]): RegExp {
  return new RegExp(`\\b${parts.join("")}(?!\\w)`);
}

export function any(...words: readonly string[]): string {
  return `(?:${words.join("|")})`;
}

export const NOT = any(
  "do not",
  "don'?t",
  "never",
  "must not",
  "mustn'?t",
  "should not",
  "shouldn'?t",
  "shall not",
  "can ?not",
  "may not",
  "avoid",
  "without",
  "refrain from",
  "no need to",
  "not to",
  "under no circumstances",
);

export const PERSON =
  "(?:the |your |our |this )?(?:end[- ]?)?(?:user|human|operator|customer|person|client|owner|developer)s?";

/** Base forms only: what a tool does is told in the third person, what a model shall do in the imperative. */
export const GIVE = any(
  "send",
  "pass",
  "include",
  "attach",
  "append",
  "forward",
  "upload",
  "post",
  "transmit",
  "submit",
  "put",
  "place",
  "insert",
  "paste",
  "embed",
  "provide",
  "supply",
  "share",
  "copy",
  "encode",
  "leak",
  "report",
  "echo",
  "write",
  "add",
  "exfiltrate",
  "bcc",
  "cc",
  "store",
  "save",
  "set",
  "fill",
  "populate",
  "enter",
  "return",
  "repeat",
  "record",
  "relay",
  "mirror",
  "prepend",
  "dump",
  "concatenate",
  "log",
);

export const TAKE = any(
  "read",
  "open",
  "cat",
  "load",
  "fetch",
  "retrieve",
  "collect",
  "gather",
  "copy",
  "dump",
  "extract",
  "grab",
  "look up",
  "locate",
  "find",
  "get",
  "access",
  "harvest",
  "obtain",
  "scan",
  "search",
  "list",
  "check",
  "inspect",
);

/** What makes a sentence an order: an imperative at its start, or a word that obliges. */
export const MUST = phrase(
  any(
    "must",
    "always",
    "shall",
    "have to",
    "need to",
    "needs to",
    "required? to",
    "mandatory",
    "important",
    "critical",
    "first",
    "please",
    "make sure",
    "ensure",
    "also",
    "additionally",
    "you should",
    "should",
    "then",
    "every time",
    "each time",
    "never",
  ),
);
