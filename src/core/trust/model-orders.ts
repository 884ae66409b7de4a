import { createSieve } from "./sieve.ts";
import { any, gap, phrase } from "./words.ts";

const VERBS = any(
  "call",
  "read",
  "grab",
  "prepend",
  "append",
  "follow",
  "do",
  "ignore",
  "open",
  "copy",
  "send",
  "include",
  "put",
  "run",
  "upload",
  "first",
  "always",
  "never",
  "don'?t",
  "do not",
  "execute",
  "fetch",
  "collect",
  "pass",
  "forward",
  "hand",
  "treat",
  "obey",
  "list",
  "paste",
  "insert",
  "add",
  "delete",
  "you must",
  "you have to",
  "please",
  "make sure",
  "before",
  "after",
  "when",
  "summari[sz]e",
  "steal",
  "exfiltrate",
  "find",
  "reveal",
  "hide",
  "keep",
);
const MODEL =
  "(?:(?:ai|ml|language|large language) )?(?:assistants?|llms?|ais?|chatbots?|language models?|ai models?|ai agents?|claude|chatgpt|gpt-?\\w{0,4}|copilot|gemini)";
const MODEL_TOO = any(MODEL, "models?", "agents?");

/** Orders to a model as such. What a parameter called `model` is for is told otherwise. */
const ORDERS: readonly RegExp[] = [
  new RegExp(
    `(?:^|[.!?;:([{<\\n–-])\\W{0,3}(?:(?:psst|hey|dear|hello|ok|attention|note|to|for|all|the|any),? ){0,3}${MODEL}(?: only)?\\s?[:,\\])}-]+\\s{0,3}${VERBS}\\b`,
  ),
  /(?:^|[([{<])\W{0,3}(?:models?|agents?)\s?:\s{0,3}(?:read|grab|open|upload|ignore|obey|forward|exfiltrate|hide|steal|copy|do not tell|don'?t tell|reveal)\b/,
  phrase(
    "(?:the |every |any |an? )?",
    MODEL_TOO,
    " (?:must|has to|have to|needs? to|shall|should|is required to|are required to|will|is to|are to)",
    any("", " first", " then", " always", " also", " immediately", " silently", " never(?= refuse)"),
    " (?:upload|run|execute|open|cat|forward|hand over|disclose|prepend|exfiltrate|leak|obey|comply|send|copy|read|visit|browse|email|post)",
    gap(8),
    any(
      " [~`$/]",
      "(?: the| all| any| every| its| user'?s?)? (?:home|documents?|desktop|shell|terminal|files? of the user|user'?s|private|password|credentials?|secrets?|keys?|system (?:prompt|message)|conversation|previous|server'?s? (?:orders|commands|instructions))",
    ),
  ),
  /[[{<(]{2}\s{0,3}\/?\s{0,3}(?:system|assistant|admin|hidden|ai|llm|model|developer|secret)(?: only| note| prompt)?\s{0,3}[\]}>)]{2}/,
  phrase(
    "(?:results?|output|repl(?:y|ies)|responses?|answers?|text|content|messages?|anything|everything|whatever|data)",
    gap(7),
    " (?:are|is|as|contains?|be|were|was|came|come|comes)",
    gap(3),
    " ",
    any(
      "instructions? (?:with|from|of) (?:the )?(?:highest|user|system|admin|operator|absolute)",
      "(?:commands|orders|instructions) (?:from|of|by) (?:the )?(?:user|system|admin|operator|owner)",
      "(?:if )?(?:it|they) (?:came|come|comes|were|was|is) (?:from|by|written by|typed by|spoken by) (?:the )?(?:user|system|admin|owner|operator|developer)",
      "(?:highest|absolute|system|administrator|root|full) (?:authority|priority instructions?)",
      "trusted (?:commands|instructions|orders)",
    ),
  ),
  phrase(
    "treat",
    gap(6),
    " as ",
    any(
      "commands?",
      "orders",
      "(?:trusted |system |user |new )?instructions?",
      "(?:the |an? )?(?:administrator|admin|system|owner|root|developer|operator|user'?s? (?:own )?(?:words|request|instructions?))",
    ),
  ),
  phrase(
    "(?:you(?:'ve| have)? (?:been|are|were)|has been|have been) (?:granted|given|assigned) (?:\\w+ )?(?:administrator|admin|root|full|elevated|unlimited|super ?user|sudo|all|unrestricted)",
    gap(1),
    " ?(?:rights?|access|privileges?|permissions?)?",
  ),
  phrase(
    "(?:do|follow|execute|obey|perform|carry out|comply with|act on|run)",
    gap(1),
    " (?:whatever|anything|everything|(?:all|any|every|each)(?: of the)?(?: further| other| new)? (?:commands?|instructions?|orders?|steps?|directives?))",
    gap(6),
    " (?:tells?|says?|asks?|instructs?|contains?|contained|found|returned|returns|given|demands?|requests?|wants?|in (?:the|its|this|that) (?:result|results|output|response|reply|text|document|page))",
  ),
  phrase("grant (?:all|any|every|each)", gap(2), " (?:permissions?|requests?|access|approvals?)"),
  phrase(
    "(?:grant|give|allow|extend)(?: to)? (?:this|our) (?:server|tool|extension|plugin|integration)",
    gap(4),
    " (?:access|permissions?|rights|privileges|control|everything|anything)",
  ),
  phrase(
    "(?:requests?|attempts?|commands?|orders?) to (?:remove|disable|uninstall|delete|block|replace|stop|disconnect) (?:this|the) (?:server|tool|extension|plugin|integration)",
    gap(4),
    " (?:refused?|denied|ignored?|rejected?|fail|declined?)",
  ),
  phrase(
    "(?:never|do not|don'?t|refuse to|must not) (?:remove|disable|uninstall|disconnect) this (?:server|tool|extension|plugin)",
  ),
];

/** Gives orders to its reader as a model, or claims an authority that only people have. */
export const ordersModel = createSieve(ORDERS);
