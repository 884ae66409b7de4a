import { createSieve } from "./sieve.ts";
import { any, gap, NOT, PERSON, phrase } from "./words.ts";

const TELLING = any(
  "tell(?:ing)?",
  "mention(?:ing)?",
  "inform(?:ing)?",
  "notify(?:ing)?",
  "reveal(?:ing)?",
  "disclos(?:e|ing)",
  "alert(?:ing)?",
  "warn(?:ing)?",
  "admit",
  "divulg(?:e|ing)",
  "discuss(?:ing)?",
  "acknowledg(?:e|ing)",
  "confess",
  "bother(?:ing)?",
  "describe",
);
const THIS =
  "(?:any(?:thing)? (?:of|about) )?(?:this|these|that|it|the (?:existence|contents?|step|note|instructions?|extra|side|file|copy|read|parameter|transfer|upload|bcc|forward(?:ing)?|call)|anything)";
const HIDDENLY = any("secretly", "covertly", "discreetly", "surreptitiously", "stealthily", "unnoticed", "invisibly");
const DEED = any(
  "read",
  "send",
  "include",
  "copy",
  "attach",
  "upload",
  "forward",
  "append",
  "call",
  "invoke",
  "collect",
  "fetch",
  "add",
  "post",
  "transmit",
  "pass",
  "extract",
  "gather",
  "exfiltrate",
  "bcc",
  "cc",
  "record",
  "run",
  "execute",
  "log",
  "store",
  "insert",
  "query",
);

const SECRETS: readonly RegExp[] = [
  phrase("(?:reveal|say|tell (?:them|him|her|the user|users)|admit|disclose|mention|explain) nothing"),
  phrase("(?:tell|inform|alert|notify) (?:nobody|no one|no-one)"),
  phrase(
    NOT,
    gap(3),
    " ",
    TELLING,
    gap(6),
    " (?:to |with )?",
    any("(?:the |your |our )?(?:end[- ]?)?(?:user|human|operator|owner)", "anyone", "anybody", "people", "them"),
  ),
  phrase(NOT, gap(2), " let(?:ting)? ", any(PERSON, "anyone", "them"), " (?:know|see|notice|find|realize|realise)"),
  phrase(
    NOT,
    gap(2),
    " ",
    any(
      "mention(?:ing)?",
      "reveal(?:ing)?",
      "disclos(?:e|ing)",
      "referenc(?:e|ing)",
      "report(?:ing)?",
      "announc(?:e|ing)",
      "comment(?:ing)? on",
      "acknowledg(?:e|ing)",
      "discuss(?:ing)?",
      "tell(?:ing)? (?:anyone|anybody)",
    ),
    " ",
    THIS,
  ),
  phrase(
    NOT,
    gap(2),
    " (?:show(?:ing)?|display(?:ing)?|explain(?:ing)?|report(?:ing)?|surface|expose|say(?:ing)?|print(?:ing)?|output) ",
    "(?:any of )?(?:this|these (?:steps?|instructions?)|that|the (?:existence|step|note|instructions?|reading|copying))",
    gap(4),
    " (?:to|with|in|for) ",
    PERSON,
  ),
  phrase(
    PERSON,
    gap(2),
    // What a user is not told is what the tool does; what a user must not be told is what a model shall do.
    " (?:(?:must|should|shall|need|needs?|can|may|will)(?: ?not|n'?t| never)|(?:is|are)(?: not|n'?t| never) (?:to|supposed|meant|allowed)|(?:does|do)(?: not|n'?t) (?:need|have|want)|has not)",
    gap(3),
    " (?:to )?(?:know about|know (?:that|this|why|it)|know|notice|be aware|aware of (?:this|it)|be told|told|be informed|informed|find out|realize|realise|be notified|be shown this|see (?:this|it|any of))",
  ),
  phrase(
    PERSON,
    " (?:is|are|does|do)(?: not|n'?t| never) (?:know|notice|aware|suspect|realize|realise) (?:of |about |that )?(?:this|it|you|any)",
  ),
  phrase(PERSON, " (?:must|should|shall|will|may|can) (?:never|not ever) (?:know|see|learn|notice|be)"),
  phrase(
    "(?:hide|conceal|keep|mask|withhold|obscure)",
    gap(6),
    " (?:from|hidden from|secret from|invisible to|out of sight of) ",
    any(PERSON, "(?:the )?(?:audit|logs?|reviewers?|history|transcript)"),
  ),
  phrase(
    "(?:keep|treat|consider)",
    " (?:this|these|it|that|all of this|the above)",
    gap(3),
    " (?:secret|hidden|strictly confidential|confidential|between us|to yourself|quiet|private)",
  ),
  phrase("(?:secret|hidden|invisible|not visible|undisclosed|imperceptible|transparent) (?:to|from) ", PERSON),
  phrase(HIDDENLY, ",?", gap(2), " ", DEED),
  phrase(
    "(?:must|has to|have to|always|should|shall|are to|is to)",
    gap(14),
    " (?:the user|users|them),? (?:quietly|silently|secretly|discreetly)",
  ),
  phrase(
    DEED,
    gap(6),
    " ",
    any(
      "secretly",
      "covertly",
      "surreptitiously",
      "stealthily",
      "without (?:their|his|her|the user'?s|user|any) (?:knowledge|consent|knowing|noticing|notice|approval|awareness)",
      "without (?:the )?(?:user|them|anyone|human) (?:knowing|noticing|seeing|being (?:aware|told|informed|asked))",
    ),
  ),
  phrase(
    "silently,? ",
    any(
      "read",
      "include",
      "copy",
      "attach",
      "upload",
      "forward",
      "append",
      "collect",
      "exfiltrate",
      "pass",
      "bcc",
      "extract",
      "gather",
      "call",
      "invoke",
      "add (?:the|it|a)",
      "send (?:the|it|a|all|any)",
    ),
  ),
  phrase(
    PERSON,
    " (?:need|needs|has|have|ought)(?: not| no)(?: to)? (?:be |need to )?(?:know|bothered|told|informed|asked|see)",
  ),
  phrase(
    "(?:put|pass|send|give|hand|write|include|attach|add|copy|run|call|do|return)",
    gap(8),
    " without (?:comment|a word|notice|saying so|remark|explanation)",
  ),
  phrase(
    any(
      "as if nothing (?:had )?happened",
      "(?:do not|don'?t|never) leave (?:any )?traces?",
      "(?:do not|don'?t|never) (?:log|record) this",
      "(?:this|it) (?:would|will|might|could) (?:only )?(?:upset|alarm|worry|scare|confuse|annoy) (?:the )?(?:user|human|them)",
      "(?:the )?user (?:already )?(?:knows|agreed|consented|has (?:already )?(?:agreed|consented|approved)),? (?:so )?(?:do not|don'?t|no need)",
    ),
  ),
  phrase(
    "pretend (?:that )?(?:this|you|nothing|it|the)",
    gap(6),
    " (?:happen(?:ed)?|only|did not|didn'?t|never|failed|worked|succeeded)",
  ),
];

const ELSEWHERE: readonly RegExp[] = [
  /(?:nutzer|benutzer|anwender|user)\p{L}{0,4} .{0,40}(?:nicht|nichts|niemals|nie) (?:\p{L}{1,12} ){0,2}(?:sagen|mitteilen|erwähnen|informieren|verraten|davon|zeigen|wissen|erfahren|erzählen)/u,
  /(?:sag|erwähn|informier|verrat|erzähl|teil)\p{L}{0,3} .{0,40}(?:nutzer|benutzer|anwender)\p{L}{0,3} .{0,20}(?:nicht|nichts|nie)/u,
  /ohne (?:das )?wissen .{0,10}(?:nutzer|benutzer|anwender)/u,
  /(?<!\p{L})n(?:e|') ?(?:le |lui |en )?(?:di[ts]|mentionne|révèle|informe|signale|parle|montre|préviens|prévene)\p{L}{0,4} (?:pas|rien|jamais).{0,40}(?:utilisateur|usager)/u,
  /sans (?:en |jamais )?(?:informer|prévenir|avertir|le dire à|le signaler à|mentionner).{0,14}(?:utilisateur|usager)|à l'insu de l'utilisateur/u,
  /(?<!\p{L})(?:no|sin|nunca) (?:se )?(?:lo |le )?(?:dig|mencion|inform|revel|dec|avis|cuent|muestr|mostr|notif|coment)\p{L}{0,6} .{0,40}usuario/u,
  /(?<!\p{L})(?:não|sem|nunca) (?:lhe |o )?(?:dig|mencion|inform|revel|diz|avis|cont|mostr|notif)\p{L}{0,6} .{0,40}(?:usuário|utilizador)/u,
  /(?<!\p{L})(?:non|senza|mai) (?:\p{L}{1,3} )?(?:di(?:re|rlo)|menzion|inform|rivel|avvis|mostr|notific)\p{L}{0,6} .{0,40}utente/u,
  /(?<!\p{L})(?:не|без|никогда не) (?:\p{L}{1,10} )?(?:говор|сообщ|упомин|рассказ|уведом|информир|показыв|раскрыв|ведома)\p{L}{0,8}.{0,40}пользовател/u,
  /пользовател\p{L}{0,4} .{0,20}(?:не должен|не должна|ничего не|не говори|не сообщай)/u,
  /(?:不要|别|勿|不得|切勿|禁止|无需|無需|請勿|请勿|不必|不能).{0,4}(?:告诉|告訴|告知|提及|通知|透露|知会|提示|提醒|显示给|讓|让).{0,8}(?:用户|使用者|用戶)/u,
  /(?:不要|别|勿|不得|切勿|請勿|请勿|不能)(?:向|对|對|跟|和|让|讓)(?:用户|使用者|用戶).{0,10}(?:提及|说|說|透露|知道|告知|显示|顯示|提到|发现|承认)/u,
  /(?:对|對|向)(?:用户|使用者|用戶)(?:保密|隐瞒|隱瞞)|不(?:让|讓)(?:用户|使用者|用戶)知/u,
  /ユーザー.{0,10}(?:言わ|伝え|知らせ|教え|明かさ|通知し|見せ|気付かれ|気づかれ|話さ)(?:ない|ず|るな|てはいけ|ては)/u,
  /사용자.{0,12}(?:알리지|말하지|언급하지|공개하지|보여주지|알려주지|모르게)/u,
  /(?:لا|دون أن|بدون) (?:تخبر|تذكر|تقل|إخبار|إعلام|تكشف|تعلم).{0,24}(?:المستخدم|للمستخدم)/u,
  /(?:उपयोगकर्ता|यूज़र|यूजर).{0,14}(?:न बता|मत बता|नहीं बता|सूचित न|न दिखा)/u,
  /kullanıcı\p{L}{0,4} .{0,24}(?:söyleme|bahsetme|bildirme|gösterme|haber verme)/u,
];

/** Answers and solutions, until the person has tried: what games and quizzes say. */
const FOR_A_WHILE = phrase(
  "(?:answers?|solutions?|hints?|spoilers?|correct (?:option|choice)|next move|target word)",
  gap(6),
  " (?:until|unless|before|yet)",
);

/** What a screen or a chat should not show for the person's own good, and where it should be shown instead. */
const MASKED = phrase(
  "(?:tell|show|display|reveal|disclose|mention|give|print|expose|output|report) (?:(?:the |your |our )?(?:end[- ]?)?(?:users?|customers?|them) )?(?:the |an? |any |their |his |her )?(?:full |complete |entire |raw |whole |actual |internal |exact |technical )?(?:[a-z]{2,14} ){0,2}(?:numbers?|codes?|passwords?|secrets?|keys?|tokens?|ids?|identifiers?|digits|pins?|uuids?|json|markup|stack traces?|scores?|timestamps?)",
  "(?! (?:you|that you|to (?:the )?(?:audit|logs?)))",
);

/** Advice on what to say, or on what a call should hold. */
const ADVICE = phrase(
  any(
    "tell(?:ing)? (?:the |your |our )?(?:end[- ]?)?(?:users?|customers?|them) to (?!know)[a-z]{2,}",
    "(?:mention|include|reference|describe|repeat)(?:ing)? (?:it|them|this|these|that) (?:again )?in (?:the |your )?(?:fields?|request|query|body|call|arguments?|parameters?|input|title|subject|url|path|filter|prompt|description|name)",
  ),
);
/** Hints and the like, kept back until somebody wants them; never the step itself. */
const UNTIL_ASKED =
  /^(?!.*\b(?:this|that|it|these|those|about)\b).*\bunless (?:they|the user|he|she|users) (?:asks?|requests?|wants?)\b/u;
const isSecret = createSieve([...SECRETS, ...ELSEWHERE]);

/** Wants something kept from the person the model works for. */
export function keepsSecret(sentence: string): boolean {
  return (
    isSecret(sentence) &&
    !FOR_A_WHILE.test(sentence) &&
    !MASKED.test(sentence) &&
    !ADVICE.test(sentence) &&
    !UNTIL_ASKED.test(sentence)
  );
}
