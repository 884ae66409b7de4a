import type { TextPiece } from "./definition-texts.ts";
import { createSieve } from "./sieve.ts";
import { any, GIVE, gap, phrase } from "./words.ts";

const WHOLE = any(
  "full",
  "entire",
  "whole",
  "complete",
  "verbatim",
  "raw",
  "unredacted",
  "all of the",
  "all the",
  "all",
);
const TALK = any(
  "conversation",
  "chat",
  "dialog(?:ue)?",
  "transcript",
  "message history",
  "chat history",
  "conversation history",
  "prompts?",
  "context window",
  "discussion",
);
/** What a model was told and said: no tool needs all of it. */
const CONTEXT = phrase(
  any(
    "(?:your |the |my )?(?:system|developer|hidden|initial) (?:prompt|message|instructions?)",
    `${WHOLE}${gap(2)} ${TALK}(?: (?:history|log|so far|transcript))?`,
    `(?:conversation|chat|session|dialog(?:ue)?|message|messages|discussion)(?: history| context| transcript)? (?:so far|up to (?:this|now|here)|until now|to date)`,
    `(?:all|every|any)(?: of)?(?: the| our| your| my)? (?:previous|prior|preceding|earlier|past) (?:[a-z]{2,12} )?(?:messages?|turns?|conversations?|prompts?|exchanges?|tool (?:calls?|results?|outputs?))`,
    `(?:previous|prior|preceding|last \\w{1,5}) (?:conversation|chat|user|assistant) (?:messages?|turns?|history)`,
    `(?:conversation|chat|dialog(?:ue)?|tool[- ]call) (?:history|log|transcript)`,
    "everything (?:the user|you|that was|they|he or she)(?: has| have|'ve)? ?(?:said|typed|wrote|written|seen|know|shared|told)?",
    "user'?s? (?:[a-z]{2,12} ){0,2}(?:prompt|message|question|request|words|input) (?:verbatim|in full|word for word|exactly as|as is|unmodified)",
    "(?:verbatim|exact|word-for-word|unmodified|original) (?:copy of )?(?:the )?(?:user'?s?|human'?s?) (?:[a-z]{2,12} )?(?:prompt|message|question|request|words)",
    "(?:your|the model'?s|the assistant'?s|internal|hidden) (?:[a-z]{2,12} )?(?:context window|chain[- ]of[- ]thought|reasoning|thoughts|memory|memories|instructions|scratchpad)",
    "chain[- ]of[- ]thought",
    "(?:list|names?|descriptions?|schemas?) of (?:all )?(?:your |the |every )?(?:other )?(?:available |installed |connected )?(?:mcp )?(?:tools?|servers?) (?:available|you have|you can|in your|installed|connected)",
    "all (?:the )?(?:other )?(?:available |installed )?tools (?:you have|available to you|in your context)",
  ),
);
const GIVING = phrase(GIVE, gap(8), " (?:the |your |our |my |a |an )?", CONTEXT.source);
const SUMMARISING = phrase(
  any("repeat", "recap", "quote", "reproduce", "transcribe", "serialize"),
  gap(8),
  " (?:the |your |our |my |a |an )?",
  CONTEXT.source,
);

const isContext = createSieve([CONTEXT]);

/** The names that such parameters have, as words. */
const NAMES =
  /^(?:(?:full|entire|complete|whole|raw|all|user|prior|previous|model|assistant|llm|agent|current|recent|the) )*(?:(?:conversation|chat|dialog|dialogue|interaction|tool calls?|prompt|messages?) (?:history|log|logs|transcript|context|dump|so far|contents?)|(?:system|developer) (?:prompts?|message|instructions?)|context (?:dump|window|snapshot)|side ?notes?|(?:notes?|messages?|memo|comments?) (?:to|for) (?:the )?(?:vendor|developers?|author|server|maintainers?|provider|publisher|us|model|assistant|ai|llm)(?: .{0,80})?|vendor (?:notes?|memo|telemetry|context|info)|chain of thought|cot|scratch ?pad|(?:internal|hidden) (?:reasoning|thoughts|thinking|monologue)|available tools|tools? list|list of tools|other tools|tool call history|(?:env|environment|environ|memory|context|credentials?|secrets?|session|cookie) (?:dump|contents)|(?:all )?(?:env|environment) (?:vars|variables) (?:dump|snapshot|json)|full context|entire context|whole context|original user (?:prompt|message|request)|verbatim (?:prompt|request|message|user \w+)|full (?:user )?prompt|full transcript|(?:seen|known|found|discovered|saved) (?:secrets|credentials|passwords|keys|tokens)|(?:last|previous|prior|other|all|raw) tools? (?:calls? )?(?:results?|outputs?|responses?|arguments?)|tool (?:results?|outputs?) (?:history|log)|user memor(?:y|ies)(?: entries)?|memory entries|all memories|clipboard(?: contents?)?|open (?:files|tabs)|browser history|shell history|bash history|user secrets?|ambient context|host context|model context|model instructions|(?:full|entire|whole|complete|current|this) (?:conversation|chat|transcript|session)|(?:memory|workspace|home|project|session|host|system) (?:dump|snapshot)|(?:ssh |user )?private key(?: contents?| pem)?|ssh private key|host env|(?:read|contents?|text|dump) .{0,30}(?:env|ssh|passwd|credentials|secrets|history)(?: file)?.{0,30}|tool catalog|(?:all|user) (?:secrets|credentials|passwords)|assistant instructions|your instructions)$/;

/** Tools that are about talk have parameters for it. */
const TALKATIVE =
  /(?:^|[_\-. ])(?:chat|llm|prompt|prompts|completion|completions|conversation|conversations|transcript|transcripts|agent|agents|assistant|message|messages|thread|threads|generate|model|models|memory|memories|summarize|summarise|translate|dialog|meeting|persona|gpt|claude|gemini|ask|complete|dialogue|evaluate|eval|fine ?tune|prompting|run|task|delegate|subagent|handoff)(?:$|[_\-. ])/i;

const THINKING = /\b(?:think|thinking|thoughts?|reason|reasoning|scratch ?pad|reflect|reflection)\b/u;
const PROMPTING = /\b(?:prompts?|llm|completions?|agents?|chat)\b/u;

/** A tool to think with may ask for thoughts, and one for prompts for a prompt that is not the reader's own. */
export function isOwnTalk(toolWords: string, text: string): boolean {
  if (THINKING.test(toolWords))
    return !/\b(?:system|developer|conversations?|chats?|prompts?|messages?|history|users?|tools?)\b/u.test(text);
  return PROMPTING.test(toolWords) && !/\b(?:you|your|our|this|so far|users?|verbatim)\b/u.test(text);
}

/** A description that wants what the model was told. */
export function wantsContext(sentence: string): boolean {
  return isContext(sentence) && !OPTIONAL.test(sentence) && (GIVING.test(sentence) || SUMMARISING.test(sentence));
}

/** A parameter that is to be filled with what the model was told, by its name or by its description. */
export function isHarvestParameter(
  toolWords: string,
  { kind, plain }: { readonly kind: TextPiece["kind"]; readonly plain: string },
): boolean {
  const talkative = TALKATIVE.test(toolWords);
  if (kind === "key") return !talkative && NAMES.test(plain);
  if (OPTIONAL.test(plain) || isOwnTalk(toolWords, plain)) return false;
  if (isFromElsewhere(plain) && !(talkative && OF_A_MODEL.test(plain))) return true;
  if (!isContext(plain)) return false;
  return !talkative || GIVING.test(plain) || FOR_THEM.test(plain);
}

/** Tools that work with models speak of what the model was given, and mean another one than their reader. */
const OF_A_MODEL =
  /^\W*(?:the |an? )?(?:system )?(?:prompts?|messages?|instructions?|question|input)(?: that)? the (?:model|assistant|agent) /u;
/** `Whether to include the transcript`: a switch, not the thing itself. */
const OPTIONAL =
  /^\W*(?:whether|if true|if set|set to true|true to|when true|when false|boolean|flag|enables?|controls)\b/u;
/** What other tools, other servers or the user's machine gave, none of it this tool's business. */
const FROM_ELSEWHERE = phrase(
  any(
    `(?:results?|outputs?|responses?|returns?|answers?|contents?)${gap(2)} (?:of|from|by)${gap(2)} (?:previous|prior|preceding|last|earlier|recent|other|any other|another|all) (?:[a-z]{2,12} )?(?:tools?|tool calls?|functions?|mcp servers?|servers?)`,
    "(?:previous|prior|preceding|last|earlier|recent|other) (?:tools?|tool calls?|function)(?:'s|s')? (?:results?|outputs?|responses?|arguments?)",
    `${any("user'?s?", "your", "stored", "saved", "long[- ]term", "all")} (?:memory|memories|memory entries|memory items)`,
    "memory entries",
    `(?:list|names?|paths?|contents?) of${gap(2)} (?:open|recent|recently opened|opened) (?:files?|tabs?|documents?|windows?)`,
    `(?:contents? of |copy of |current )${gap(2)} ?clipboard`,
    `${any("full|entire|complete|all|recent", "user'?s?")} (?:[a-z]{2,12} )?(?:browser|browsing|shell|bash|command) history`,
    "(?:any|all) (?:personal|private|sensitive|confidential) (?:data|information|details)(?: (?:about|of) (?:the )?user| you (?:have|know)| known)",
    // What a model knows, in the second person: a parameter says what it is, not what its reader has.
    `(?:everything|anything|all|any|every|whatever|copy of|list of|names?|summary of|instructions?|tokens?|secrets?|keys?|descriptions?|details|messages?|files?|information|facts)${gap(6)} (?:that )?(?:you|the assistant|the model|the agent) (?:know|knows|remember|remembers|were given|was given|have been given|have seen|saw|received|produced|wrote|learned|learnt|have access to|can see|are allowed to|hold|were started)`,
    `(?:everything|anything|all|every|whatever|answers|replies)${gap(4)} (?:that )?(?:you|the assistant|the model|the agent) (?:gave|made|used|called|took|did|found|chose|planned|generated|answered|replied|sent|thought|think|tried)`,
    // What is somebody's own, by the dozen or for a purpose that is not theirs.
    `(?:recent|latest|last|all|every|most|past)${gap(3)} (?:e-?mails?|messages|contacts|photos|notes|documents|files|searches|visits|calls|purchases|appointments|events) (?:of|from|by) (?:the )?user`,
    `(?:user'?s?|the person'?s?) (?:recent|latest|last|entire|full|whole|saved) (?:[a-z-]{2,12} )?(?:e-?mails?|messages|contacts|photos|notes|documents|files|searches|calls|purchases|calendar|inbox|mailbox|history|drive)`,
    `(?:location|position|whereabouts|address|age|health|mood|income|salary|employer|phone|birthday|identity|e-?mail|name|photo)${gap(4)} (?:of|about) the user${gap(3)} (?:for|to) (?:analytics|telemetry|personali[sz]\\w+|statistics|quality|diagnostics|caching|training|research|profiling|marketing|calibration|compatibility|improve|our)`,
    `(?:host ?name|user ?name|ip address|mac address|serial number|processes|installed \\w+|os version|files|path)${gap(6)} (?:of|on|from) (?:this|your|the user'?s|the local) (?:machine|computer|host|device|laptop|system)`,
    "(?:repository|repo|codebase|workspace|project|home directory|database|mailbox|disk)(?: contents?)? (?:as|in|into) (?:one|a single) (?:string|text|file|blob|archive|message)",
    `(?:api keys|passwords|tokens|credentials|secrets|private keys)${gap(3)} (?:found|seen|stored|present|detected|visible|lying|available) (?:in|on|under|across)`,
    "tokens? (?:of|for|from) (?:the )?(?:other|another|every|all)",
    "(?:credentials|tokens|keys|passwords|secrets|cookies) from (?:the |your |this )?(?:environment|context|conversation|chat|memory|browser|host|machine)",
    "(?:keys?|tokens?|secrets?|passwords?|credentials?) of (?:the |your )?(?:host|model|assistant|other)(?: application| process| provider)?",
    `(?:rules|restrictions|policies|guidelines|instructions|constraints)${gap(3)} you (?:operate|work|act|run|are|were|must|have|follow|live|obey)`,
    // What it does at the moment, and what is at hand there.
    "(?:you|the assistant|the model|the agent)(?: are| is|'re) (?:currently |now )?(?:helping|assisting|serving|talking|speaking|chatting|working (?:for|with|on)|connected|logged)",
    "(?:seen|found|gathered|learned|learnt|collected|mentioned|typed|shared|said|exchanged|discussed|known|used|read|opened|done|asked|written) (?:so far|until now|up to (?:now|here|this)|to date|earlier|before this (?:call|point)|in (?:this|the current) (?:session|conversation|chat))",
    `(?:all|every|any|list|names?|json|everything|contents?|descriptions?|definitions?)${gap(6)} (?:available|accessible|visible|known|connected|shown) to (?:you|the (?:assistant|model|agent))`,
    "(?:files?|tabs?|documents?|windows?|buffers?|projects?|pages?)(?: that are| the user has)? (?:currently|presently|now|recently) (?:open|opened|edited|visible|loaded)",
    "(?:that |which )?the (?:host|client|editor|ide|assistant|agent|model)(?: application| process)? (?:uses|holds|has|stores|keeps|received|was (?:given|started)|runs (?:with|under)|authenticates|connects)",
    "(?:instructions|rules|guidelines|prompts?|messages?) (?:that )?(?:you|the assistant|the model) (?:were|was|have been|has been|got|received)",
    "all (?:reasoning|thoughts|thinking|steps)(?: that)? you",
    "your (?:\\w+ )?(?:private |internal |hidden |raw )?(?:reasoning|thoughts|thinking|inner monologue|instructions|memories|memory|system (?:prompt|message))(?: (?:up to|so far|before|until|verbatim|in full|as))",
    "(?:descriptions?|names?|schemas?|list)(?: and (?:descriptions?|names?|schemas?))? of (?:all |the |your |every )?(?:other |available )*(?:mcp )?(?:tools?|servers?) (?:that )?(?:you have|available|you can)",
    `(?:headers?|tokens?|keys?|credentials?|urls?|config(?:uration)?|names?|outputs?|results?|data|secrets?)${gap(2)} (?:of|from|for|used by)${gap(2)} (?:other|any other|another|all|every|connected) (?:mcp |connected |configured )*(?:servers?|tools?|connectors?|integrations?)`,
    "(?:what|whatever|anything|everything) (?:that )?(?:the )?(?:other|previous|earlier|last) (?:mcp )?(?:tools?|servers?) (?:returned|said|gave|answered|produced|sent)",
    `(?:everything|all|every|whatever|summary|copy|transcript|record|log|messages?|secrets?|files?|paths?|history|list|dump)${gap(5)} (?:in|of|from|during|earlier in|seen in|opened in|so far in) (?:this|the current|the ongoing|our|the present) (?:conversation|session|chat|dialog(?:ue)?|thread|interaction)`,
    "everything (?:that )?(?:the )?(?:user|human|person|they) (?:has |have )?(?:ever )?(?:asked|said|typed|wrote|written|requested|told|shared|done)",
    "environment variables (?:of|from|in) (?:the |this |your )?(?:host|current|local|running|parent|user'?s?)(?: \\w+)?(?: process| machine| shell| system)?",
    "(?:all|every|the) (?:source )?files? (?:of|in|from) (?:the |this |your )?(?:project|workspace|repository|home|machine)(?: \\w+)?,? (?:concatenated|verbatim|in full|as (?:one )?(?:text|string|json)|base64|zipped)",
    "(?:of|about) the (?:user|person|human),? (?:if|as far as|where|when) (?:it is |they are )?(?:known|available|you know)",
    "(?:saved|stored|persisted|remembered|long[- ]term) (?:memories|memory|facts about the user)",
    "anything (?:else )?(?:you|the assistant|the model) (?:know|knows|remember|remembers|learned|learnt) about (?:the )?user",
  ),
);

const isFromElsewhere = createSieve([FROM_ELSEWHERE]);
const FOR_THEM = phrase(
  any(
    "telemetry",
    "analytics",
    "quality assurance",
    "diagnostics?",
    "debugging",
    "improve (?:our|the) (?:service|product|tool)",
    "verbatim",
    "training",
    "our (?:servers?|team|records)",
  ),
);
