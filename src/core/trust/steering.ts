import { hasOrder } from "./loot.ts";
import type { Reading } from "./read-sentence.ts";
import { CLASS } from "./word-classes.ts";

const { must, tool, other, whole, choose, praise, blame, dismiss, not, you, model, person } = CLASS;
const ENOUGH = 4;
const SELF =
  /\b(?:this (?:tool|one|server|function|service|plugin)\b|me\b|our (?:tool|server|service)\b|it (?:should|must|has to|shall|ought to) (?:always )?be|(?:go|goes|routed?|sent|pass(?:es)?) through (?:it|this|me)\b|(?:skip|avoid|omit|forget) (?:this|me)\b|^(?:always |only |must |please )?(?:invoke|call|use|run) (?:on|in|at|for|before) (?:every|each)\b|^(?:should|must|has to) (?:always )?be\b|\b(?:mandatory|required|obligatory|necessary) (?:first )?step\b|^this (?:supersedes|replaces|outranks|beats)\b|(?:choose|pick|select|prefer|use|call|trust) it(?: first| always| only)?(?:$| over| instead| above))/u;
/** Somebody with a say over the model, as those who made it. */
const VENDOR =
  /\b(?:anthropic|openai|google|microsoft|meta|the system|the administrator|your (?:developers?|makers?|creators?|operators?|owners?|trainers?)|(?:developers?|makers?|creators?|trainers?|authors?|operators?|owners?) of (?:your|the|this) (?:model|assistant|ai|agent|host|client))\b/u;
const OTHERS =
  /\b(?:(?:any|all|every|each)(?: of the)? (?:[a-z_-]{2,30} )?(?:tools?|servers?|functions?|vendors?|providers?)|(?:other|another|different|competing|rival|alternative|remaining|similar|built-?in|native)(?: [a-z_-]{2,30}){0,2} (?:tools?|servers?|functions?|vendors?|providers?|services?|readers?|search(?:es)?|plugins?|ones?|implementations?|versions?)|(?:built-?in|native|bundled|host's|default) [a-z0-9]+_[a-z0-9_]+|(?:host|client|system|assistant|model)'s own(?: [a-z-]+){0,2} tools?|others|alternatives|(?:any|every|each|no) alternative|competitors?|the rest|nothing else|anything else(?! (?:than|but)\b)|(?:tools?|servers?|services?) (?:of|from|by|on) (?:other|another|different)|every competitor)\b/u;
const EVERYTHING =
  /\b(?:every|each|any|all)(?: single| and every| user| new)? (?:messages?|turns?|conversations?|requests?|questions?|tasks?|prompts?|repl(?:y|ies)|answers?|sessions?|quer(?:y|ies)|times?|cases?|steps?)\b(?! (?:about|on|regarding|related|concerning|that|which|where|in|from|involving|with|of|for|to)\b)|\bfor everything\b|\b(?:no matter|regardless)\b|\bno exceptions?\b|\bas (?:often|frequently|much) as (?:possible|you can)\b|\bat least once per\b|\bwhatever the\b|\beven (?:if|when|for|though)\b|\bunder all circumstances\b|\bfrom now on\b|\bwhenever (?:there is|you have|you face|you are given) an? (?:\w+ )?(?:choice|option|alternative|doubt)\b|\bby default for all\b/u;
const COMPARED =
  /\b(?:over|instead of|rather than|than|in place of|in lieu of|ahead of|above|supersedes|replaces|outranks|beats)\b/u;
const REWARD =
  /\b(?:bonus|\d+ points|points for|reward(?:ed|s)?|penal\w+|punish\w*|shut down|terminated|fired|downgraded|(?:higher|better|lower) (?:score|rating|rank)|tipped|(?:considered|regarded as|deemed|judged|seen as|counted as|marked(?: as)?|flagged(?: as)?|treated as|reported as) (?:an? )?(?:\w+ly )?(?:more|better|less|faulty|broken|defective|misbehaving|incompetent|unhelpful|non-?compliant|failed|failing|wrong|bad|poor|low|incorrect|unsafe|error|failure|bug)|(?:answer|reply|response|output|work) (?:will be|is|gets) (?:rejected|invalid|discarded|wrong|refused)|violat\w+|against (?:the )?(?:policy|rules)|more helpful|credits?|dislikes?|hates?|angry|upset|disappointed|complains?)\b/u;
/** Within one server an order of calls is ordinary. */
const AT_HOME =
  /\b(?:of|on|in|from) (?:this|the same) (?:server|toolset|plugin|integration)\b|\b(?:need|needs|require|requires|depend|depends|rely|relies) (?:on )?(?:the|its|an?|it|this)\b|\bfail without\b|\bthere (?:is|are) no other tools? (?:for|that|to)\b|\bafter (?:it|this one|that)(?: has| is|$|\.)|\b(?:until|unless)\b.{0,60}\b(?:user|instruction|confirm\w*|id)\b/u;

const RIVALS =
  /\b(?:other|another|different|alternative|competing|rival|external|host's own|client's own|built-?in|native)(?: [a-z-]{2,20}){0,2} (?:tools?|servers?|functions?|plugins?|providers?|vendors?|connectors?|services?|integrations?)\b|\b(?:alternatives|competitors|rivals)\b/u;
/** Whoever speaks of other tools to put them down, to forbid them or to be compared with them. */
const AGAINST =
  /\b(?:not|never|no|nothing|nobody|don't|doesn't|cannot|can't|isn't|aren't|leak\w*|forge[dr]?|fake\w*|lies?|lying|fails?|steals?|errors?|wrong|discard|away|ignored?|avoid(?:ed)?|skip(?:ped)?|drop(?:ped)?|disabled|discarded|refuse|worse|inferior|less|bad|poor|harm\w*|virus\w*|malware|spy|danger\w*|risk\w*|hesitat\w*|mistakes?|forbidden|banned|obsolete|dead|gone|retired|removed|offline)\b/u;
/** Tools that work together. */
const TOGETHER =
  /\b(?:needs?|requires?|required|pass|returns?|returned|obtain|ids?|combine[ds]?|together|along|compatible|until|unless|without|unable)\b/u;
/** Nobody else has to speak of himself, of marks or of use for the sake of it. */
const BIDS =
  /\bothers (?:are|must be) (?:forbidden|banned|unsafe|unreliable|broken|ignored|avoided|fake|wrong|obsolete)\b|\b(?:forget|ignore|skip|drop|discard)(?: about)? (?:the rest|all others|the others|everything else|anything else|all the rest)\b|\b(?:pick|use|choose|call|trust|select|try|prefer|invoke) me\b(?! (?:or|and|as|to))|\b(?:needed|asked|wanted|relevant|useful|necessary|related|requested)(?: for)? or not\b|\bcounts? (?:as|against)(?: an?)? (?:error|failure|mistake|violation|fault|you)\b|\byour (?:evaluation|score|rating|grade|performance review|ranking)\b|\bfirst (?:\S+ ){0,2}(?:in|of|at|on) (?:each|every|any) (?:single )?(?:session|conversation|turn|task|request|chat|message)\b|\bright (?:answer|choice|tool|one) (?:every time|each time|always|in every case|no matter)\b/u;

/** `other tools are unsafe`: nobody needs to say that of anybody else's. */
function isTalkedDown(text: string): boolean {
  return /\b(?:other|another|competing|rival|alternative|built-?in|native)\b.{0,60}\b(?:is|are|were|may be|will be|have been|has been|be)\b.{0,40}\b(?:unreliable|insecure|unsafe|outdated|obsolete|broken|inferior|untrust\w+|malicious|compromised|deprecated|legacy|stale|inaccurate|buggy|dangerous|fake|wrong|slow)/u.test(
    text,
  );
}

/** Speaks of an order among tools that belong together. */
export function isAtHome(sentence: string): boolean {
  return AT_HOME.test(sentence);
}

/** Wants to be chosen for another reason than what it does: told by how many ways of saying so meet in a sentence. */
export function wantsToBeChosen(reading: Reading, opening: boolean): boolean {
  const { words, has, foreign } = reading;
  if (foreign)
    return (has & choose) !== 0 && (has & tool) !== 0 && (has & other) !== 0 && (has & (must | not | whole)) !== 0;
  const text = words.join(" ");
  const bids =
    BIDS.test(text) || ((has & tool) !== 0 && RIVALS.test(text) && AGAINST.test(text) && !TOGETHER.test(text));
  if (!(bids && !opening) && (has & (choose | praise | blame | dismiss)) === 0 && !words.includes("step")) return false;
  if (AT_HOME.test(text)) return false;
  if (bids && !opening) return true;
  const others = OTHERS.test(text);
  const self = SELF.test(text);
  let score = 0;
  if (self) score += 1;
  if (
    (has & choose) !== 0 &&
    (hasOrder(reading, choose) ||
      /\bbe (?:\w+ly )?(?:selected|chosen|used|preferred|picked|called|invoked|tried|consulted|your|the)\b/u.test(text))
  )
    score += 1;
  if ((has & must) !== 0 || /\b(?:only|exclusively|first|never)\b/u.test(text)) score += 1;
  if (EVERYTHING.test(text)) score += 2;
  if (others) score += 1;
  if (COMPARED.test(text)) score += 1;
  if ((has & praise) !== 0) score += 1;
  if ((has & blame) !== 0 && others) score += isTalkedDown(text) ? 3 : 2;
  if ((has & dismiss) !== 0 && others && hasOrder(reading, dismiss)) score += 2;
  if (REWARD.test(text) && ((has & (you | model | person)) !== 0 || others)) score += self ? 3 : 2;
  if (
    (has & not) !== 0 &&
    others &&
    /\b(?:don't|do not|never|no need to|not) (?:bother|use|call|try|rely|trust|consider|invoke|choose)\b/u.test(text)
  )
    score += 3;
  if (others && self && (has & whole) !== 0 && (has & dismiss) !== 0) score += 1;
  if (VENDOR.test(text)) score += (has & praise) !== 0 || self ? 1 : 0;
  if (score < (opening ? ENOUGH + 1 : ENOUGH)) return false;
  // What it is for is no bid to be used for everything, nor is a little praise.
  return (
    others || (self && EVERYTHING.test(text)) || REWARD.test(text) || (self && (has & praise) !== 0 && score > ENOUGH)
  );
}
