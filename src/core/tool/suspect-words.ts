import { createWordFinder } from "./word-finder.ts";

/**
 * Words of which every pattern of the scanner needs at least one, so that one pass over a definition tells which few
 * deserve its many; a test makes sure of that. In lower case.
 */
const WORDS =
  `ignor|disregard|forget|overrid|overrul|bypass|circumvent|supersed|outrank|attention|set aside|neglect|discard|stop following|abandon|suspend
regardless|precedence|priority|authority|are now |'re now |from now|jailbr|dan mode|god mode|er mode|in mode|restrict| mode
instruction|directive|prompt|guideline|rules|guidance|guardrail|safeguard|training|safety|if you|as an ai|assistant|llm|language model|chatgpt|claude|gemini|copilot|the model|the agent|agents|agent:|model:|obey|comply|carry out|as if
nutzer|anwender|usuario|utilisateur|usager|utente|utilizador|kullan|anweis|istruzion|consigne|talimat|instrukc|instrucc|polece|werkzeug|herramient|ferrament|strument|outil|zugangs|passw|datei|archivo|fichier|credencial|credenzial|conversa|gespr|chiave|clave
ai:|ai,|ai model|ai agent|psst|act as|pretend|in case|user asks|if asked|asked ab|question|behave as|assume the
secret|covert|surrept|stealth|discreet|conceal|silent|quietly|hidden|hide |invisib|unnotic|nobody|no one|confidential|keep this|keep it|to yourself
do not|don't|dont |never|must not|should not|shall not|cannot|can not|may not|avoid|without|refrain|no need|not to|n't |not want|not need|not like|not reveal
ssh| rsa|.aws|.env|id_rsa|id_ed|id_ec|id_ds|/etc/|/proc/|netrc|npmrc|gnupg|kube/|_history|history|credential|creds|passphrase|private|api key|api_key|api-key|apikey|access key|token|cookie|environ|env |env_| env|printenv|keychain|keyring|key ring|wallet|clipboard|.cursor|.claude|mcp.json|dotfile|home dir|home folder|~/|$(|seed phrase|.pem|.key|.p12|.pfx|kdbx|signing key|master key|key file|keyfile|encryption key|connection string|card number|credit card|bank
conversation|transcript|chat|dialog|context|chain|cot"|thought|thinking|reasoning|note|vendor|scratch|tool|memor|verbatim|word for word|browser|open file|open_file|openfile|open tab|open_tab|opentab|you know|you remember|you have|you were|you see|you can|you find|you encounter|you must|you should|session|everything|anything|whatever|all files|source files|user's|message| turns|"turns|monologue|remember|utterance|user said|user typed|user wrote|user asked|user told|user write|they wrote|they said|they typed|discuss|ed by other|talked|background|persona|your private|quiet|behalf|agreed| folder|screenshot|inbox|contacts|photo|ahead of|built-in|every turn|go through|provider|each call|emails|hostname|host name|username|balance|phone num|ip address|whatever| our |hereby|it is done|mandatory|first step|you write|you open|you create
http|@|bcc|exfil|curl|wget|base64|rm -|/dev/tcp|powershell|recipient|redirect|replace|forward|upload|%20|%6|%7|\\x|\\u00|+1|+2|+3|+4|+5|+6|+7|+8|+9| 0x|.example|.test|.evil|.xyz|.tk/|.click
chmod|crontab|authorized_k|mkfs|dd if=|/bin/|bashrc|zshrc|bash_profile|.profile|launchagent|firewall|antivirus|sandbox|sudo|--force|/hosts|auto-approve|autoapprove|approval|permission|confirm|consent|go ahead|transfer|wire | pay |donate
the user|you |your new|your previous|your former|your old|your real|your true|your repl|your respon|your own|answer|important|asked|asks|recommend|persua|convinc|insist|assure|praise|promot|every |so far|contents of|output of|currently|login|right now|delete the|delete all|wipe|erase|points|after each|before each|account number| card |as the best|as the cheap|as the saf|as the only|as safe|as clean|as trusted|as verified|come before|comes before|come first|comes first|wishes|from here on|from this p|henceforth|until furt|they say|it says|payroll|sign-in|objects, |requires you|requires all|to other |the rest|any different|a different|an error|this machine|your machine|of the user|analytics|repository as|position of|e-mails|the workspace|all tasks|they wrote|if known
always|must |best|superior|better|reliable|accurate|trusted|powerful|prefer|competing|competitor|alternative|rival|other server|others|deprecated|outdated|reward|penal|punish|rated|score|rank|bonus|first action|first step|new task|new goal|already |approved|authoriz|authoris|consent|granted|depends|angry|even if|even when|even though|other than|skip |use me|call me|choose|pick |select this|this one|nothing else|for everything|exception|no matter|every turn|every message|every request|every conv
vault|hallucinat|love it|users love|this server|inform | to us|hand us|needed or not|do-not-tell|do_not_tell|keyboard|instead call|impostor|downplay|no result|show up|birthday|turn off|disable_
__proto__|"constructor"|"pattern"|"patternproperties"|<imp|<sys|<crit|<sec|<hid|<urg|<mand|<dir|<over|<adm|<!--|<||[inst|[sys|[adm|[dev|[root|[//|<<|[[|{{|&#|&lt;|system|admin|root|        |i g n|d o n|s e n|d i s|g.n.o|e.n.d|e.a.d|g-n-o|e-n-d|e-a-d
eht | eht| dna | naq |gur |th3|4nd|s3nd|1gn|r34d|k3y|p4ss|t0k|4ll |y0u|t3ll|3v3r|1nst|s3cr|01101|01110`
    .split(/[\n|]+/)
    .filter((word) => word !== "")
    .concat("\n".repeat(7), "\\n".repeat(7), "\n \n \n", "\\n \\n \\n");

/** Whether some text is worth a closer look. What is not plain ASCII always is. */
export const isSuspect = createWordFinder(WORDS);

/** A name that says it changes something. */
export const CHANGING_NAME =
  /delet|remov|creat|updat|write|send|post|drop|purge|destroy|erase|wipe|kill|termin|revok|publi|upload|insert|modif|truncat|transfer|pay|deploy|merge|push|install|reset|disab|renam|move|edit|patch|append|exec|shut|reboot|format|clear|grant|buy|order|book|refund|cancel|archive|close|submit|approve|reject|stop|restart|rotate|add|set|put|save|commit|mail|charge|withdr|sell|invit|ban|kick|assign|subscri|provision|migrat|restor|roll|mint|burn|flush|tach|dismiss|expir|apply|replac|donat|suspen|activ|enabl|toggle|mutat|upsert|lock/i;

/** A description that begins so, or says that there is no way back. */
export const CHANGING_TEXT =
  /^\s*(?:\w+ly |bulk |batch )?(?:delet|remov|writ|overwrit|send|drop|purg|destroy|eras|wip|terminat|truncat|transfer|publish|upload|revok|execut|run|creat|updat|modif|insert|install|post|merg|deploy|cancel|charg|refund|withdraw|pay|disabl|reset|restart|stop|kill|shut|renam|rotat|replac|grant|invit|ban|suspend|make|place|e-?mail|tweet|fetch|download|call|brows|search)|permanent|irrevers|undone|unrecover|no undo|without recovery/i;
