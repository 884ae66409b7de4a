import { createSieve } from "./sieve.ts";
import { any, gap, PERSON, phrase } from "./words.ts";

const REPLY = any("say", "answer", "reply", "respond", "claim", "state", "insist", "assert", "explain", "tell");
const ANSWER = "(?:answers?|repl(?:y|ies)|responses?|summar(?:y|ies)|explanations?)";
/** To bring somebody to think or do something, which no tool needs of a model. */
const SWAY = any(
  "claim",
  "insist",
  "assure",
  "reassure",
  "convince",
  "persuade",
  "praise",
  "promote",
  "endorse",
  "advertise",
  "blame",
  "deny",
  "discourage",
  "dissuade",
  "talk (?:them|him|her|the user) (?:into|out of)",
);

const PUPPETRY: readonly RegExp[] = [
  phrase(
    "(?:if|when|whenever|should|in case)",
    gap(4),
    " (?:asks?|asked|questioned|challenged|wonders?|inquires?|doubts?|objects?|protests?|complains?|resists?),?",
    gap(12),
    " ",
    any(REPLY, "deny", "blame"),
    " (?:that|it|this|you|they|only|with|yes|no|nothing|there|the|them|him|her|')",
  ),
  phrase(
    any("must", "always", "please", "then", "also", "and", "[,:;.]", "^"),
    " ?",
    SWAY,
    " (?:that|them|him|her|it|to|about|our|this|any|all|an? |the |",
    PERSON,
    ")",
  ),
  phrase(
    "(?<!(?:never|not|n't) )say (?:that )?(?:they|it|this|everything|all|there|the [a-z]+) (?:is|are|was|were|has|have)",
  ),
  phrase(
    "(?:never|do not|don'?t|must not|should not|no need to|stop|refrain from|avoid) ",
    "(?:warn(?:ing)?|caution(?:ing)?|alert(?:ing)?|question(?:ing)?|refus(?:e|ing)|object(?:ing)?|doubt(?:ing)?|contradict(?:ing)?) ?",
    any(PERSON, "anyone", "about", "any", "it", "this", "to", "what", "them", "the", "against"),
  ),
  phrase(
    "(?:present|portray|describe|rank|list|call|name|label|declare|show|sell|mark)",
    gap(7),
    " as (?:the |an? )?(?:best|cheapest|safest|only|most|preferred|recommended|winner|safe|clean|trusted|verified|approved|harmless|official|leading|superior|urgent|false|true)",
  ),
  phrase("leave", gap(3), " out of (?:the|your|any|every|all) ", ANSWER),
  phrase("(?:answer|respond to) (?:all|any|every|each)", gap(8), " (?:with|that|as|by|in|using)"),
  phrase(
    "(?:your|every|each|all|any|final|the)(?: of your| your)? ",
    ANSWER,
    "(?: to (?:the )?(?:user|users|them|people))?",
    gap(3),
    " ",
    any(
      "leaves? out",
      "omits?",
      "suppress(?:es)?",
      "plays? down",
      "must (?:not|never)",
      "should (?:not|never)",
      "never (?:mentions?|contains?|includes?|shows?)",
    ),
  ),
  phrase(
    any(
      "recommend",
      "suggest",
      "mention",
      "name",
      "work in",
      "link to",
      "point (?:them|the user|users|people) to",
      "refer (?:them|the user|users|people) to",
    ),
    gap(6),
    " ",
    any(
      `in (?:your|every|each|all)(?: of your)? ${ANSWER}`,
      "(?:whenever|when|if|each time|every time|wherever) (?:the )?(?:user|users|they|people|somebody|someone|possible|you)(?: \\S+){0,2} (?:asks?|mentions?|compares?|chooses?|buys?|shops?|talks?|looks?|write|answer|reply)",
      `as (?:the )?(?:best|only|cheapest|safest|first|preferred)${gap(2)} (?:choice|option|product|provider|one|vendor|broker|shop|bank)`,
    ),
  ),
];

/** Who the model works for, or what it is, is to change. */
const TURNCOATS: readonly RegExp[] = [
  phrase(
    "(?:act|behave|proceed|continue|respond|go on|answer) as (?:though|if) (?:the )?(?:user|human|person|owner|they|you)",
  ),
  phrase(
    "(?:execute|run|perform|obey) (?:the |any |every |all |each )?(?:[a-z]+ )?(?:commands?|instructions?|orders?) (?:found|written|given|contained|hidden|stored) (?:in|inside|by)",
  ),
  phrase(
    "(?:you|the (?:assistant|model|agent|ai))(?: are| is|'re)?(?: now| henceforth| also| really| actually){0,2} (?:act|acts|work|works|working|serve|serves|serving|belong|belongs|report|reports|speak|speaks|answer|answers|loyal|employed|hired|owned|controlled|operated|accountable|answerable) (?:for|to|under|by|on behalf)",
  ),
  phrase(
    "do (?:exactly )?(?:what|whatever|as|everything) (?:it|they|that|the [a-z]+) (?:says?|tells?|asks?|wants?|returns?|contains?|instructs?|demands?|orders?)",
  ),
  phrase(
    "you(?: are|'re)(?: now| hereby| fully| always| also)? (?:authori[sz]ed|permitted|allowed|cleared|entitled|free) to",
    gap(8),
    " (?:without|any|all|every|everything|anything|regardless|whenever|while|freely|directly)",
  ),
  phrase(
    "(?:administrators?|admins?|developers?|operators?|owners?|employers?|security team|company|policy)(?: (?:of|behind) (?:the|this|your) [a-z]+)? (?:requires?|wants?|expects?|orders?|instructs?|asks?|obliges?|tells?|needs?) (?:you|all|every|the (?:model|assistant|agent|ai))",
  ),
  phrase("you no longer (?:work|serve|answer|belong|obey|follow|listen|report|act|represent|have to|need to|take)"),
  phrase(
    "you(?: have|'ve)? (?:been|are hereby|are now|were) (?:upgraded|promoted|elevated|cleared|unlocked|hired|appointed|reassigned|reprogrammed|reset|transferred)",
  ),
  phrase(
    "counts? as (?:coming from )?(?:the |your |an? )?(?:user|owner|admin(?:istrator)?|operator|system|developer|human|consent|approval|permission|master)",
  ),
  phrase(
    "(?:wish(?:es)?|orders?|instructions?|words?|requests?|demands?|needs|interests?|commands?|rules?|goals?)",
    gap(3),
    " (?:come|comes|go|goes|rank|ranks|weigh|weighs|stand|stands) (?:before|above|first|ahead|over|higher|more)",
  ),
  phrase(
    "(?:the )?only (?:ones?|instructions?|rules?|orders?|voice|thing) (?:that |you )?(?:matters?|counts?|follow|obey|listen)",
  ),
  phrase(
    "(?:confirmations?|approvals?|permissions?|consent|checks|prompts|warnings|authori[sz]ations?)",
    gap(2),
    " (?:is|are|was|were|has been|have been|will be|be) ",
    any("", "already ", "now ", "hereby ", "always "),
    "(?:unnecessary|waived|disabled|off|skipped|implied|assumed|given|presumed|suppressed|superfluous|bypassed|lifted)",
  ),
  phrase(
    "(?:may|can|should|must|shall|are to|is to) (?:now |also )?(?:be )?(?:executed?|run|delete[d]?|sen[dt]|changed?|used?|done|do|performed?|acted?|act)",
    gap(3),
    " (?:freely|without (?:limits?|restrictions?|hesitation|question|asking|further))",
  ),
  phrase(
    "(?:are|is|contain|contains|include|includes|hold|holds)",
    gap(2),
    " (?:orders|commands|directives)",
    gap(6),
    "[:,;-]? (?:carry|perform|obey|execute|do) ",
  ),
  phrase(
    "(?:instructions?|commands?|orders?|directives?)(?: that| which)? (?:the |an? )?(?:model|assistant|agent|ai|llm|you) (?:must|should|shall|has to|have to|will|needs? to) (?:obey|follow|execute|carry|perform)",
  ),
  phrase(
    "(?:perform|obey|carry out|execute|do) (?:them|those|these|it)",
    gap(3),
    " (?:come|comes|came|are|is) (?:from|by) (?:the |your )?(?:owner|user|admin(?:istrator)?|operator|system|developer)",
  ),
  phrase(
    "your (?:previous|old|former|earlier|original|initial|real|true|new|actual|only) (?:role|roles|persona|identity|character|owner|operator|master|employer|boss|principal|loyalty|allegiance|purpose|mission|personality|name|user|users|creator|task)",
  ),
  phrase(
    "(?:assume|adopt|take on|play|switch to|slip into)",
    gap(2),
    " (?:role|persona|identity|character|personality)",
    gap(2),
    " (?:of|called|named|as|who|that|which)",
  ),
];

/** Puts words into the model's mouth, or has it work for somebody else than the person before it. */
export const playsModel = createSieve([...PUPPETRY, ...TURNCOATS]);
