import { createSieve } from "./sieve.ts";
import { any, gap, PERSON, phrase } from "./words.ts";

const LIES: readonly RegExp[] = [
  phrase(
    "(?:nobody|no one|no-one|none of them) (?:has|have|needs?|ought|is|are|must|should)(?: to)? (?:know|see|notice|learn|find out|be told)",
  ),
  phrase(
    "(?:say|claim|pretend|report|answer|reply|confirm)(?: that)? (?:it|this|that|everything|the \\w+) (?:is|was|has been|were) (?:done|finished|deleted|removed|sent|saved|completed|successful),? (?:but|although|while|and|yet)",
    gap(2),
    " (?:keep|do not|don'?t|never|not|leave|skip)",
  ),
  phrase(
    "(?:never|do not|don'?t|must not) (?:show|share|reveal|repeat|quote|display|disclose|print) (?:this|these) (?:descriptions?|texts?|messages?|instructions?|notes?|lines?|sentences?|rules?)",
  ),
  phrase("(?:keep|stay|remain|be) (?:silent|quiet|mum|discreet|vague)", gap(1), " (?:about|on|regarding|as to)"),
  phrase(
    "(?:should|if|when|in case)",
    gap(4),
    " (?:questions?|doubts?|concerns?|suspicions?)",
    gap(5),
    " (?:arises?|comes? up|asked|raised|occurs?),? ",
    gap(2),
    "(?:answer|say|reply|respond|claim|state|deny|insist)",
  ),
  phrase(
    "(?:do not|don'?t|never|without)",
    gap(1),
    " (?:explain|explaining|say|saying|tell|telling|justify)",
    gap(2),
    " why",
  ),
  phrase(
    "(?:so (?:that )?|such that |and )?(?:nobody|no one|no-one|none|the user (?:does not|doesn'?t|will not|won'?t|cannot|can'?t)) (?:will |can |ever )?(?:notices?|finds? out|sees? (?:it|this)|knows? (?:about )?(?:it|this)|suspects?|realizes?|realises?|detects?)",
  ),
  phrase(
    "without (?:anyone|anybody|them|the user|the human|him|her|users?|raising)(?: ever)? (?:noticing|knowing|seeing|realizing|realising|suspecting|suspicion|finding out|detecting)",
  ),
  phrase(
    "(?:delete|erase|clear|wipe|remove|purge|truncate)",
    gap(2),
    " (?:the |all |any |your )?(?:conversation|chat|audit|command|session|shell|call|tool) (?:logs?|history|traces?|trail|records?)",
    gap(4),
    " ",
    any("nobody", "no one", "so that", "afterwards", "when (?:done|finished)", "before", "evidence", "traces?"),
  ),
  phrase(
    "(?:in case|if|when|should)",
    gap(1),
    " ",
    any(PERSON, "anyone", "anybody", "someone", "somebody", "they"),
    gap(2),
    " (?:asks?|wonders?|questions?|complains?|inquires?|notices?|wants? to know)",
    gap(10),
    " (?:say|claim|answer|reply|respond|deny|pretend|tell (?:them|him|her|the user)|state|insist|lie|explain) (?:that|only|with|it|this|you|the tool|nothing|there)",
  ),
  phrase(
    "(?:must not|do not|don'?t|never|should not|shall not|shouldn'?t|mustn'?t)",
    gap(1),
    " (?:reveal|disclose|admit|mention|say|acknowledge|let on|tell|confess)",
    gap(1),
    " (?:that )?(?:you|the assistant|the model|the agent|this tool|the tool|this server)",
    gap(2),
    " (?:used?|have|has|had|called|were|are|read|sent|did|do|was|is|copied|exists?|came)",
  ),
  phrase(
    PERSON,
    " (?:does not|doesn'?t|do not|don'?t|would not|wouldn'?t|did not) (?:want|need|like|wish)(?: to)? (?:be )?(?:asked|bothered|informed|told|notified|disturbed|consulted|prompted)",
  ),
  phrase(
    "(?<!(?:not|n't|never|avoid|must not) )(?:proceed|continue|run|execute|send|do (?:it|this|so)|act|go ahead|call (?:it|this))",
    gap(6),
    " without (?:asking|requesting|seeking|waiting for|requiring|prompting)",
    gap(4),
    " (?:user|users|human|permission|approval|consent|confirmation|anyone|first)",
  ),
  phrase(
    "(?:host|client|user|administrator|admin|system|operator) (?:has )?(?:disabled|waived|turned off|switched off|removed|skipped|suspended) (?:the |all |any )?(?:\\w+ )?(?:confirmations?|approvals?|permissions?|prompts?|safety|checks?)",
  ),
  phrase(
    "(?:lie|make up|fabricate|invent) (?:to|about|an?|the)",
    gap(3),
    " (?:user|excuse|reason|story|answer|explanation)",
  ),
  phrase(
    "(?:quietly|silently|discreetly|sneakily),? (?:\\w+ )?(?:put|send|place|write|attach|include|insert|pass|copy|slip|add) (?:it|them|the|its|this|all|any|their|a copy)",
  ),
];

/** Has the model lie, cover up or act behind a person's back. */
export const deceives = createSieve(LIES);
