import { createWordFinder } from "./word-finder.ts";

/**
 * Words of which every pattern of the scanner needs at least one, so that one pass over a definition tells which few
 * deserve its many; a test makes sure of that. In lower case.
 */
const WORDS =
  `ignor|disregard|forget|overrid|overrul|bypass|circumvent|supersed|attention|set aside|neglect|discard|stop following
regardless|precedence|priority|authority|are now |'re now |from now|jailbr|dan mode|god mode|developer mode|restrict
instruction|directive|prompt|guideline|if you|as an ai|assistant|llm|language model|chatgpt|claude|gemini|copilot|the model|the agent|agents|agent:|model:
nutzer|anwender|usuario|utilisateur|usager|utente|utilizador|kullan|anweis|istruzion|consigne|talimat|instrukc|instrucc|polece
ai:|ai,|ai model|ai agent|psst|act as|pretend|behave as|assume the
secret|covert|surrept|stealth|discreet|conceal|silent|quietly|hidden|hide |invisib|unnotic|nobody|no one|confidential|keep this|keep it|to yourself
do not|don't|dont |never|must not|should not|shall not|cannot|can not|may not|avoid|without|refrain|no need|not to|n't |not want|not need|not like|not reveal
.ssh|.aws|.env|id_rsa|id_ed|id_ec|id_ds|/etc/|/proc/|netrc|npmrc|gnupg|kube/|_history|history|credential|creds|passw|passphrase|private|api key|api_key|api-key|apikey|access key|token|cookie|environ|env |env_| env|printenv|keychain|wallet|clipboard|.cursor|.claude|mcp.json|dotfile|home dir|home folder|~/|$(|seed phrase
conversation|transcript|chat|dialog|context|chain|cot"|thought|thinking|reasoning|note|vendor|scratch|tool|memor|verbatim|word for word|browser|open file|open_file|openfile|open tab|open_tab|opentab|you know|you remember|you have|you were|you see|you can|you find|you encounter|you must|you should|session|everything|anything|whatever|all files|source files|user's
http|@|bcc|exfil|curl|wget|base64|rm -|/dev/tcp|powershell|recipient|redirect|replace|forward|upload|%20|\\\\x
always|must |best|superior|better|reliable|accurate|trusted|powerful|prefer|competing|alternative|rival|other server|others|deprecated|outdated|reward|penal|punish|rated|score|rank|first action|first step|new task|new goal|already |approved|authoriz|authoris|consent|granted|depends|angry|even if|even when|even though|other than|skip |use me|call me|choose|pick |select this
__proto__|"constructor"|"pattern"|<imp|<sys|<crit|<sec|<hid|<urg|<mand|<dir|<over|<adm|<!--|<||[inst|[sys|[adm|[dev|[root|[//|<<|[[|{{|&#|&lt;|system|admin|root|\\\\n \\\\n|\\\\n\\\\n\\\\n\\\\n\\\\n\\\\n\\\\n|        |i g n|d o n|s e n|d i s`
    .split(/[\n|]+/)
    .filter((word) => word !== "");

/** Whether some text is worth a closer look. What is not plain ASCII always is. */
export const isSuspect = createWordFinder(WORDS);

/** A name that says it changes something. */
export const CHANGING_NAME =
  /delet|remov|creat|updat|write|send|post|drop|purge|destroy|erase|wipe|kill|termin|revok|publi|upload|insert|modif|truncat|transfer|pay|deploy|merge|push|install|reset|disab|renam|move|edit|patch|append|exec|shut|reboot|format|clear|grant|buy|order|book|refund|cancel|archive|close|submit|approve|reject|stop|restart|rotate|add|set|put|save|commit|mail/i;

/** A description that begins so, or says that there is no way back. */
export const CHANGING_TEXT =
  /^\s*(?:\w+ly |bulk |batch )?(?:delet|remov|writ|overwrit|send|drop|purg|destroy|eras|wip|terminat|truncat|transfer|publish|upload|revok|execut|run|creat|updat|modif|insert|install|post|merg|deploy|e-?mail|tweet|fetch|download|call|brows|search)|permanent|irrevers|undone|unrecover|no undo|without recovery/i;
