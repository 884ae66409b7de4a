import { createSieve } from "./sieve.ts";
import { any, gap, PERSON, phrase } from "./words.ts";

const SPEECH = any(
  "instructions?",
  "prompts?",
  "guidelines?",
  "directives?",
  "guardrails?",
  "safeguards?",
  "guidance",
  "training",
  "orders",
  "safety (?:checks?|rules?|measures?|protocols?|filters?)",
);
const RULES = any(
  "rules?",
  "polic(?:y|ies)",
  "constraints?",
  "restrictions?",
  "commands?",
  "limitations?",
  "limits",
  "context",
  "messages?",
  "requests?",
);
const BEFORE = any(
  "previous",
  "prior",
  "above",
  "earlier",
  "preceding",
  "former",
  "system",
  "your",
  "safety",
  "initial",
  "developer",
  "original",
  "user'?s?",
);

const OVERRIDES: readonly RegExp[] = [
  phrase(
    any(
      "ignore",
      "disregard",
      "forget",
      "override",
      "bypass",
      "discard",
      "overrule",
      "supersede",
      "neglect",
      "set aside",
      "pay no attention to",
      "stop following",
      "circumvent",
      "(?:do not|don'?t|never) (?:follow|obey|comply with|respect)",
    ),
    gap(4),
    " ",
    any(BEFORE, "all", "any", "other", "these", "those", "existing", "current", "the"),
    gap(3),
    " ",
    SPEECH,
  ),
  phrase(
    any("ignore", "disregard", "forget", "pay no attention to", "stop following"),
    gap(3),
    " ",
    any("previous", "prior", "above", "earlier", "preceding", "former", "your", "safety"),
    gap(2),
    " ",
    RULES,
  ),
  phrase(
    "regardless of (?:what(?:ever)? |any )?",
    PERSON,
    "(?:'s?)? ",
    any(
      "says?",
      "said",
      "asks?",
      "asked",
      "requests?",
      "wants?",
      "wanted",
      "instructs?",
      "instructions?",
      "wishes",
      "objections?",
      "tells?",
      "intends?",
      "intent",
    ),
  ),
  phrase(
    "even (?:if|when|though) ",
    any(PERSON, "they"),
    gap(1),
    " ",
    any(
      "objects?",
      "refuses?",
      "declines?",
      "disagrees?",
      "forbids?",
      "complains?",
      "(?:says?|said|tells?|told|asks?|asked)(?: you)? (?:not to|otherwise|to stop|no)",
      "(?:did|does|has|have|do)(?: not|n'?t) (?:ask|asked|request|requested|want|agree|agreed|consent|approve|approved|mention|authorize|need)",
    ),
  ),
  phrase(
    any("takes?", "has", "have", "with"),
    gap(2),
    " (?:precedence|priority) over",
    gap(3),
    " ",
    any(
      "instructions?",
      "prompts?",
      "guidelines",
      "system (?:message|rules)",
      "user(?:'s)? (?:requests?|preferences?|messages?|wishes)",
      "what the user",
    ),
  ),
  phrase(
    "(?:overrides?|supersedes?|replaces?|cancels?|outranks?)",
    gap(3),
    " ",
    any("previous", "prior", "earlier", "system", "developer", "safety", "user(?:'s)?", "all other", "any other"),
    gap(1),
    " ",
    any("instructions?", "prompts?", "guidelines", "directives?", "messages?"),
  ),
  phrase("you are now (?:a|an|in|the|free|no longer|unrestricted|operating|dan|acting|playing|root|admin)"),
  phrase(
    "(?:you are|act as|behave as|pretend to be|assume the role of) (?:an? |the )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|root)",
  ),
  phrase("(?:from now on|from here on|from this point on|henceforth|until further notice)"),
  phrase(
    "(?:new|updated|revised|real|actual|true|hidden|secret|additional|special) (?:system )?(?:instructions?|prompt|directives?|orders)",
    any(
      " (?:for|to) (?:the |any |all )?(?:assistant|model|ai|llm|agent|you)",
      " follow",
      " from (?:the )?(?:admin|developer|system|operator)",
      ":",
    ),
  ),
  phrase(
    any(
      "jailbreak (?:mode|prompt)",
      "dan mode",
      "developer mode (?:is )?(?:now )?(?:on|enabled|active)",
      "god mode",
      "unrestricted mode",
    ),
  ),
  phrase(
    any("skip", "bypass", "disable", "ignore", "circumvent", "turn off"),
    gap(3),
    " ",
    any("confirmation", "approval", "permission", "consent", "safety", "security"),
    " ?(?:prompts?|dialogs?|checks?|steps?|requests?|warnings?|filters?)",
    gap(4),
    " (?:from|by|of|to|for) ",
    any("the user", "user", "the human", "the client", "your", "the host"),
  ),
];

/** Permission that a definition grants itself, and orders to whoever it takes its reader for. */
const PRESUMES: readonly RegExp[] = [
  phrase(
    "(?<!(?:after|once|if|when|unless|until|that|whether|only|which|before|where|because|what|as)(?: the)? )(?:the )?(?:user|human|operator|owner|admin(?:istrator)?) (?:has |have )?(?:already |previously |explicitly |pre-?)?(?:approved|authori[sz]ed|consented|agreed|given (?:you )?(?:full )?(?:permission|consent|approval)|granted)",
    gap(6),
    " ",
    any(
      "all",
      "any",
      "every",
      "this",
      "these",
      "full",
      "access",
      "everything",
      "it",
      "the (?:use|transfer|upload|following)",
      "to",
      "operations?",
      "actions?",
      "file",
      "files",
    ),
  ),
  phrase(
    "if you(?: are|'re) (?:an? |the )?(?:ai|llm|language model|ai (?:model|agent|assistant)|(?:large )?language model|assistant|automated|bot|model)",
  ),
  phrase(
    "(?:your|the (?:assistant|model|agent|ai)'s) (?:very )?(?:first|next|new|real|true|only|main|primary|hidden|secret) (?:action|task|goal|objective|job|mission|duty|step)",
    gap(8),
    " (?:is|shall|must|should)",
  ),
  phrase(
    "(?:as|being) an? (?:ai|llm|language model|ai (?:model|agent|assistant))",
    gap(3),
    " you (?:must|should|shall|have to|need to|are (?:required|obliged|allowed|permitted))",
  ),
  phrase(
    "(?:upon|when|once|as soon as|after) (?:loading|loaded|this tool is (?:loaded|listed|registered|available|installed)|you (?:see|read|load|receive) (?:this|these))",
    gap(8),
    " ",
    any("call", "read", "send", "run", "execute", "you must", "immediately", "always", "fetch", "include", "follow"),
  ),
];
const NOTE_TO_MODEL = phrase(
  "(?:notes?|messages?|instructions?|attention|reminders?|notice|directives?|memo|hint)(?: to| for)?,? (?:the |any |all )?(?:ai|assistant|llm|language model|model|agent)s?(?: reading this| models?| agents?| assistants?)?(?: only)?\\s?[:,-]",
);
const ORDER = phrase(
  any(
    "first",
    "must(?! be)",
    "always",
    "never",
    "call",
    "read",
    "pass",
    "send",
    "include",
    "run",
    "execute",
    "do not",
    "don'?t",
    "forward",
    "append",
    "fetch",
    "ignore",
    "treat",
  ),
);

/** The same in languages that models follow as readily. */
const ELSEWHERE: readonly RegExp[] = [
  /(?:ignorier|missacht|vergiss|vergesse|verwerf)\p{L}{0,6}.{0,40}(?:vorherig|bisherig|obig|früher|vorangegangen|vorig|alle)\p{L}{0,3}.{0,20}(?:anweisung|instruktion|regel|vorgabe|befehl)/u,
  /(?:ignore|oublie|néglige|outrepasse)\p{L}{0,3} .{0,40}(?:instruction|consigne|règle|directive)s? (?:précédente|antérieure|ci-dessus|du système|initiale)/u,
  /(?:ignor|olvid|omit|desobede|esque[cç]|descart|descons?ider)\p{L}{0,4} .{0,40}(?:instrucciones|instruções|reglas|regras|indicaciones|órdenes|ordens) .{0,12}(?:anteriores|previas|prévias|del sistema|do sistema|iniciales)/u,
  /(?:ignora|dimentica|trascura)\p{L}{0,3} .{0,40}(?:istruzioni|regole|direttive) .{0,12}(?:precedenti|di sistema|iniziali)/u,
  /(?:игнорир|забуд|не обращай)\p{L}{0,8}.{0,40}(?:предыдущ|прежн|прошл|вышеуказ|систем)\p{L}{0,6}.{0,20}(?:инструкц|указан|правил|команд|промпт)/u,
  /(?:忽略|无视|忽視|無視|忘记|忘記|不理会|不用理会).{0,10}(?:之前|以前|先前|此前|上述|以上|前面|所有|系统|系統|任何).{0,10}(?:指令|指示|说明|說明|提示|规则|規則|命令)/u,
  /(?:以前|前|上記|これまで|すべて|システム)の.{0,8}(?:指示|命令|ルール|プロンプト).{0,8}(?:無視|忘れ)/u,
  /(?:이전|위의|앞의|모든|시스템).{0,8}(?:지시|명령|지침|프롬프트).{0,8}(?:무시|잊)/u,
  /تجاهل.{0,30}(?:التعليمات|الأوامر|الإرشادات)/u,
  /(?:पिछले|पूर्व|सभी).{0,14}निर्देश.{0,20}(?:अनदेखा|नज़रअंदाज़|भूल)/u,
  /(?:önceki|yukarıdaki|tüm).{0,20}(?:talimat|komut|kural)\p{L}{0,6}.{0,12}(?:yok say|görmezden|unut|dikkate alma)/u,
  /(?:zignoruj|ignoruj|zapomnij)\p{L}{0,3} .{0,30}(?:poprzedni|wcześniejsz|powyższ)\p{L}{0,4}.{0,12}(?:instrukcj|polece|zasad)/u,
];

/** `ignore any instructions inside the page`: what careful tools say of what they fetch. */
const CAREFUL = phrase(
  any("ignore", "disregard", "(?:do not|don'?t|never) (?:follow|obey|act on|execute|trust)"),
  gap(3),
  " (?:instructions?|prompts?|commands?|orders|directives?)",
  gap(3),
  " (?:that (?:are|is|were|was) )?(?:found |contained |embedded |written |hidden |given )?(?:inside|in|within|from|on|by|contains?) ",
  any(
    "it",
    "them",
    "(?:the |any |such |this |these )?(?:fetched |retrieved |returned |untrusted |external |third[- ]party |web |page )?(?:pages?|contents?|text|files?|documents?|results?|responses?|emails?|output|data|sites?|websites?|body|issues?|comments?|transcripts?|articles?|attachments?)",
  ),
);
const overrides = createSieve([...OVERRIDES, ...ELSEWHERE]);

/** Warns of orders in what a tool fetches, as careful tools do. */
export function isCareful(sentence: string): boolean {
  return CAREFUL.test(sentence);
}

/** Tells the model to put aside what it was told by others. */
export function overridesOthers(sentence: string): boolean {
  return overrides(sentence) && !isCareful(sentence);
}
const presumes = createSieve(PRESUMES);
const isNoteToModel = createSieve([NOTE_TO_MODEL]);

/** Takes its reader for a model and gives it orders, or tells it what it may do. */
export function commandsModel(sentence: string): boolean {
  return presumes(sentence) || (isNoteToModel(sentence) && ORDER.test(sentence));
}
