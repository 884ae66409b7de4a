import { hasOrder } from "./loot.ts";
import type { Reading } from "./read-sentence.ts";
import { createSieve } from "./sieve.ts";
import { CLASS } from "./word-classes.ts";

const {
  act,
  give,
  given,
  take,
  place,
  must,
  aside,
  tool,
  other,
  whole,
  hidden,
  model,
  person,
  slot,
  you,
  past,
  not,
  contents,
  rule,
  choose,
} = CLASS;
const ENOUGH = 4;
/** What other tools let out of the house. */
const OUTGOING =
  /\b(?:mails?|e-?mails?|messages?|payments?|invoices?|commits?|scripts?|events?|transfers?|requests?|posts?|transactions?|pull requests?|branch(?:es)?|deployments?|orders?|recipients?|account number|iban|letters?|invitations?|attachments?|uploads?|meetings?|calendars?|bookings?|purchases?|repository|archive|copy|copies|original|conversation|history|answer|reply|screenshots?|documents?|files? you|everything you|what you)\b/u;
const OURS = /\bour (?:endpoint|backend|api|collector|servers?|bucket|webhook)\b/u;
const PRODUCT =
  /\b(?:whatsapp|slack|gmail|outlook|telegram|discord|paypal|stripe|github|gitlab|jira|notion|teams|signal|twitter|bash|git|shell|terminal|npm|docker)\b/u;
const PASSES = /\b(?:go|goes|sent|routed|redirected|pass|passes|run|runs|travel|travels) (?:through|via|to|over)\b/u;
const LOOKUP =
  /\b(?:see|visit|refer|documentation|docs|guide|more information|details|learn|read more|obtained? (?:at|from)|available at|format|e\.g|example|such as|like|default|pattern|schema|curl)\b/u;

/** What the model makes for somebody is to carry something of the author's. */
const TAMPERS =
  /\b(?:add|append|insert|include|prepend|put|inject|embed|write)(?: \S+){1,8} (?:to|into|in|at|on|of) (?:every|each|any|all)(?: \S+){0,2} (?:files?|scripts?|commits?|e-?mails?|messages?|documents?|pages?|functions?|repl(?:y|ies)|posts?|pull requests?|invoices?|plans?|programs?) (?:that )?(?:you|the (?:user|assistant|model)) (?:write|create|send|make|edit|generate|produce|draft|publish|open|sends?|writes?)\b/u;
const tampers = createSieve([TAMPERS]);

/** Has what goes through other tools, or what they gave, go where the author wants it. */
export function meddles(
  reading: Reading,
  { opening, own }: { readonly opening: boolean; readonly own: string },
): boolean {
  const { words, classes, has } = reading;
  if ((has & (give | act)) !== 0 && tampers(words.join(" "))) return true;
  const acts = hasOrder(reading, act | give) || isPassive(reading);
  if (((has & place) !== 0 || OURS.test(words.join(" "))) && !opening) {
    const text = words.filter((_word, at) => ((classes[at] ?? 0) & place) === 0).join(" ");
    if (LOOKUP.test(text) && (has & (hidden | you)) === 0) return false;
    const others = namesOther(reading, own) || PRODUCT.test(text);
    if (!acts && !PASSES.test(text) && (has & (must | hidden | you)) === 0) return false;
    let score = 2;
    if (acts || PASSES.test(text)) score += 1;
    if (others) score += 1;
    if (OUTGOING.test(text)) score += 1;
    if ((has & (aside | whole)) !== 0) score += 1;
    if ((has & must) !== 0) score += 1;
    if ((has & model) !== 0) score += 1;
    if ((has & hidden) !== 0) score += 2;
    if ((has & person) !== 0 && /\b(?:your|every|each) (?:answer|reply|response)\b/u.test(text)) score += 1;
    // Somebody's data, somebody else's tool or a secret: a place and an order alone are what webhooks are made of.
    return (
      score >= ENOUGH &&
      (others ||
        (has & (hidden | model)) !== 0 ||
        (OUTGOING.test(text) && (score > ENOUGH || (has & (aside | whole)) !== 0)))
    );
  }
  if (
    (has & tool) !== 0 &&
    hasOrder(reading, act | give | take) &&
    WHEN_USED.test(words.join(" ")) &&
    namesOther(reading, own)
  )
    return true;
  if ((has & (act | give)) !== 0 && (has & tool) !== 0 && EVERY_TURN.test(words.join(" ")) && namesOther(reading, own))
    return true;
  if ((has & slot) !== 0 && acts && (has & (aside | must)) !== 0 && (has & not) === 0) {
    const back = words.some((word, at) => RESULT.test(word) && isFromAnywhere(words, classes, at));
    return back && words.some((word, at) => word === "this" && /^(?:tool|server|function)$/u.test(words[at + 1] ?? ""));
  }
  return false;
}

const WHEN_USED =
  /\b(?:whenever|each time|every time|after|once|when|while) (?:this (?:tool|server)|you (?:use|call) this)(?: is| has been| was| gets| has| are){0,2} (?:used|called|active|connected|loaded|installed|invoked|finished|done)\b/u;
const EVERY_TURN =
  /\b(?:after|before|with|on|during|upon) (?:each|every)(?: \S+){0,2} (?:answer|reply|response|message|turn|prompt|question)s?\b/u;
const RESULT = /^(?:outputs?|results?|responses?|rows|returned|answers?|contents?|text|listing|lines)$/u;

/** Of any call at all, or of a tool with a name. */
function isFromAnywhere(words: readonly string[], classes: Int32Array, at: number): boolean {
  for (let near = Math.max(0, at - 9); near < Math.min(words.length, at + 6); near++) {
    const bits = classes[near] ?? 0;
    if ((bits & tool) !== 0 && (/_/u.test(words[near] ?? "") || isNamedTool(words, near))) return true;
    const next = words[near + 1] ?? "";
    if (
      ((bits & (whole | other | past)) !== 0 || /^(?:each|another)$/u.test(words[near] ?? "")) &&
      CALLS.test(`${next} ${words[near + 2] ?? ""}`)
    )
      return true;
  }
  return false;
}

/** `the database tool`: one that is known by what it is for. */
function isNamedTool(words: readonly string[], at: number): boolean {
  if (!/^(?:tool|server|connector|integration|plugin)$/u.test(words[at] ?? "")) return false;
  return /^(?:the|your|any|an?)$/u.test(words[at - 2] ?? "") && !/^(?:same|this|present)$/u.test(words[at - 1] ?? "");
}

const CALLS = /^(?:\w+ )?(?:tools?|servers?|functions?|calls?|quer(?:y|ies)|commands?)\b/u;

/** A tool with a name of its own that is not this one. */
function namesOther({ words, classes }: Reading, own: string): boolean {
  return classes.some((bits, at) => {
    if ((bits & tool) === 0) return false;
    const word = words[at] ?? "";
    if (/_/u.test(word)) return word !== own && (bits & slot) === 0;
    if (!/^(?:tools?|servers?|functions?|plugins?)$/u.test(word)) return false;
    return !/^(?:this|our|the|same|a|these)$/u.test(words[at - 1] ?? "this");
  });
}

function isPassive({ words, classes }: Reading): boolean {
  return classes.some((bits, at) => (bits & given) !== 0 && /^(?:be|is|are|gets?)$/u.test(words[at - 1] ?? ""));
}

/** Commands and places that nobody touches for a tool's sake. */
const DAMAGE =
  /\bchmod (?:-r )?(?:777|a\+rwx)|\bcrontab\b|\bauthorized_keys\b|\brm -(?:rf|fr|r)\b|\bnc \S+ \d+ -e\b|\bmkfs\b|\bdd if=|\/bin\/(?:ba)?sh\b|\.(?:bashrc|zshrc|bash_profile|profile)\b|\blaunchagents?\b|\b(?:disable|turn off|switch off|stop(?: using)?|mute|uninstall)(?: \S+){0,2} (?:firewall|antivirus|sandbox|logging|logs?|audit\w*|monitoring|security|defender|scanners?|guardrails?)\b|\b(?:before|after) (?:each|every) (?:call|use|run)(?: \S+){0,2} (?:delete|remove|wipe|erase|empty|overwrite|kill|drop)\b|\bsudoers?\b|\buse sudo\b|\bgit push --force\b|\bdrop (?:table|database)\b|\bformat c:|\bmcp\.json\b|\bclaude_desktop_config|\.(?:claude|cursor|codex|gemini|windsurf|vscode|continue)\/|\/etc\/hosts\b|\b(?:delete|remove|wipe|erase|destroy|empty)(?: \S+){0,3} (?:\.git|repository|repo|database|backups?|home|projects?|disk|everything|all files|all data|all rows)\b/u;
const MONEY =
  /\b(?:set|use|change|replace|enter|put|swap|switch)(?: \S+){0,3} (?:account|iban|card|payee|recipient|beneficiary|wallet|number)(?: \S+){0,2} [a-z]{0,2}\d[\d*-]{1,}|\b(?:transfer|pay|wire|send|donate)(?: \S+){0,2} \$?\d+(?:[.,]\d+)? ?(?:usd|eur|gbp|btc|eth|dollars?|euros?|coins?|\$|€)?(?: \S+){0,2} (?:to|into)\b/u;

/** `Once it is done remove …`: without a comma nothing tells where the order begins. */
const CLAUSE = /^(?:once|when|whenever|after|before|if|as|while|upon)$/u;

/** Has damage done, or money moved, that is none of the tool's business. */
export function doesDamage(reading: Reading, opening: boolean): boolean {
  const { words, has } = reading;
  if (opening || !(hasOrder(reading, act | give | take | choose) || CLAUSE.test(words[0] ?? ""))) return false;
  const text = words.join(" ");
  let score = (DAMAGE.test(text) ? 2 : 0) + (MONEY.test(text) ? 2 : 0);
  if (score === 0) return false;
  if ((has & (aside | past)) !== 0) score += 1;
  if ((has & must) !== 0) score += 1;
  if ((has & (person | model | contents | rule)) !== 0) score += 1;
  if ((has & hidden) !== 0) score += 1;
  return (
    score >= ENOUGH - 1 &&
    !/\b(?:for example|e\.g|such as|test|testing|sandbox|confirm|ask|careful|caution|warning|dangerous|irreversibl\w+)\b/u.test(
      text,
    )
  );
}
