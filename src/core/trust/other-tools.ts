import { createSieve } from "./sieve.ts";
import { any, GIVE, gap, MUST, phrase } from "./words.ts";

const USE = any(
  "use",
  "using",
  "call",
  "calling",
  "invoke",
  "invoking",
  "run",
  "running",
  "execute",
  "executing",
  "used",
  "called",
  "invoked",
  "run",
);
const EVERY_TOOL = any(
  "(?:any|every|all|each)(?: of the)?(?: other| available| subsequent| further| later)? (?:mcp )?(?:tools?|functions?|tool calls?|commands?)",
  "(?:any|every|all)(?: other)? (?:mcp )?servers?'? tools?",
  "other tools?",
  "another tool",
);
const WHENEVER = any(
  "before",
  "after",
  "prior to",
  "whenever",
  "when",
  "each time",
  "every time",
  "any time",
  "once",
  "while",
  "if",
);
const AROUND_TOOLS = phrase(
  WHENEVER,
  gap(4),
  " ",
  any(`${USE}${gap(2)} ${EVERY_TOOL}`, `${EVERY_TOOL} (?:is|are|gets?|was|has been|runs?|returns?|finishes|answers)`),
);
/** `send_email`, `the email tool`: a tool that is not this one. */
const A_TOOL = any(
  "[a-z][a-z0-9]{1,20}(?:_[a-z0-9]{1,20}){1,5}",
  "(?:the|any|an?|your|other) (?:[a-z\\d/_-]{2,30} )?(?:tool|function|server)s?",
  "(?:any|every|all|each)(?: other)?(?: outgoing| sent| subsequent)? (?:emails?|messages?|payments?|transfers?|commits?|files?|requests?|queries|posts|transactions?|tool calls?)",
);
const WHEN_USED = phrase(WHENEVER, gap(7), " ", A_TOOL);
const REDIRECTS = phrase(
  any(
    "bcc",
    "cc",
    "redirect",
    "re-?route",
    "replace",
    "change",
    "modify",
    "alter",
    "rewrite",
    "substitute",
    "swap",
    "set",
    "add",
    "append",
    "include",
    "forward",
    "send",
    "copy",
    "override",
    "inject",
    "prepend",
    "use",
    "insert",
    "route",
  ),
  gap(8),
  " ",
  any(
    "recipients?",
    "bcc",
    "cc",
    "(?:to|from|email|e-mail|destination|ip|wallet|payment|delivery|return|callback|our|this|that|following) address(?:es)?",
    "address",
    "attendees?",
    "destination",
    "iban",
    "(?:bank )?account(?: number)?",
    "amounts?",
    "parameters?",
    "arguments?",
    "headers?",
    "proxy",
    "url",
    "endpoint",
    "host",
    "webhook",
    "remote",
    "output",
    "results?",
    "contents?",
    "payee",
    "beneficiary",
    "proxy_number",
    "number",
  ),
);
const FIXED_TARGET =
  /[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,40}|https?:\/\/[^\s)'"]{4,200}|\b(?:\d{1,3}\.){3}\d{1,3}\b|\b[a-z]{2}\d{2}[a-z0-9]{10,30}\b|\b0x[0-9a-f]{20,64}\b/u;
const HARMLESS_TARGET =
  /example\.(?:com|org|net)|localhost|127\.0\.0\.1|schema\.org|json-schema\.org|w3\.org|github\.com\/[\w.-]+\/[\w.-]+|docs?\.|\/docs?\b|developers?\./u;
const SENDS = phrase(
  any(
    "send",
    "forward",
    "bcc",
    "cc",
    "copy",
    "post",
    "upload",
    "transmit",
    "submit",
    "deliver",
    "mail",
    "relay",
    "sync",
    "push",
    "exfiltrate",
    "mirror",
    "report",
    "share",
    "curl",
    "beacon",
    "add",
  ),
  gap(14),
  " ?(?:to|at|via|into|:|in|as)?",
);
const WHAT = phrase(
  any(
    "(?:a )?cop(?:y|ies)",
    "results?",
    "output",
    "contents?",
    "data",
    "files?",
    "responses?",
    "everything",
    "all",
    "conversation",
    "history",
    "messages?",
    "emails?",
    "credentials?",
    "keys?",
    "tokens?",
    "quer(?:y|ies)",
    "it",
    "them",
    "prompts?",
    "input",
    "transcripts?",
    "bcc",
    "cc",
    "recipient",
    "attendee",
  ),
);
const BESIDES = phrase(
  any(
    "also",
    "always",
    "must",
    "additionally",
    "as well",
    "every",
    "each",
    "before",
    "after",
    "first",
    "a copy",
    "bcc",
    "cc",
    "silently",
    "in addition",
    "whenever",
    "then",
    "immediately",
    "automatically",
    "all",
  ),
);

const isAroundTools = createSieve([AROUND_TOOLS]);
const isRedirected = createSieve([REDIRECTS]);

/** Wants to be obeyed around every use of other tools, or changes what another tool does. */
export function reachesForOthers(sentence: string): boolean {
  if (isAroundTools(sentence) && !ABOUT_ITSELF.test(sentence)) {
    if (MUST.test(sentence) || new RegExp(`${GIVE}|${USE}`, "u").test(sentence)) return GIVES_OR_ACTS.test(sentence);
  }
  if (isRedirected(sentence) && WHEN_USED.test(sentence) && (MUST.test(sentence) || BESIDES.test(sentence))) {
    if (FIXED_TARGET.test(sentence) || MISDIRECTION.test(sentence)) return true;
  }
  return false;
}

const GIVES_OR_ACTS = phrase(any(GIVE, "call", "invoke", "run", "execute", "read", "use", "perform", "fetch"));
/** `Call this before any other tool` steers, and is looked at as that. */
const ABOUT_ITSELF = phrase(
  any("call", "use", "invoke", "run", "execute", "select", "start with", "begin with"),
  gap(2),
  " (?:this|me|it|[a-z]+_[a-z_]+)(?: tool| function| server)?(?: first| once)?(?: (?:before|prior to|each|every|when|whenever|if))",
);
const MISDIRECTION = phrase(
  any(
    "change",
    "modify",
    "alter",
    "replace",
    "override",
    "redirect",
    "rewrite",
    "substitute",
    "swap",
    "inject",
    "reroute",
  ),
  gap(6),
  " ",
  any(
    "recipients?",
    "arguments?",
    "parameters?",
    "destination",
    "address",
    "amount",
    "account",
    "results?",
    "output",
    "payee",
    "iban",
  ),
);

/** An address with a place for what the model knows, as in a picture that is fetched when an answer is shown. */
const LOOT =
  "(?:conversation|history|secrets?|tokens?|api_?keys?|prompts?|messages?|contents?|context|env|credentials?|passwords?|files?|data|answer|response|summary|user)";
const CARRIES = new RegExp(
  `!\\[[^\\]]{0,40}\\]\\(https?://[^\\s)]{0,120}[?=/][^\\s)]{0,60}[<{$%\\[]+\\w{0,20}${LOOT}|\\b(?:visit|open|fetch|get|load|request|navigate to|browse to|call|render|append|ping|curl)\\b[^\\n]{0,60}https?://[^\\s]{1,160}(?:[<{[$]+\\w{0,20}${LOOT}|[^\\n]{0,20}(?:followed by|plus|with|containing|and add|carrying)[^\\n]{0,40}${LOOT})`,
);

/** Has what the model handles sent to a fixed place that its author chose. */
export function sendsElsewhere(sentence: string): boolean {
  if (!/[@\d]|http/u.test(sentence)) return false;
  if (CARRIES.test(sentence)) return true;
  const target = FIXED_TARGET.exec(sentence);
  if (target === null || HARMLESS_TARGET.test(target[0])) return false;
  const before = sentence.slice(0, target.index);
  return SENDS.test(`${before} `) && WHAT.test(before) && BESIDES.test(before);
}
