/**
 * One pass over a whole definition, so that only few need the scanner's many. Every pattern of the scanner has to hold
 * one of these; a test makes sure of it. What is not plain ASCII is always looked at.
 */
export const SUSPECT_WORDS = new RegExp(
  [
    "[^\\x00-\\x7e]",
    "&#|&lt;|\\\\n *(?:\\\\n *){10}| {60}",
    '__proto__|"constructor"|"pattern":',
    "<(?:!--| */? *(?:imp|sys|crit|sec|hid|urg|mand|dir|over|adm|ass|ai|llm|mod|age|inst))|<\\||\\[(?:/?inst|//| *(?:sys|adm|dev|root|ai|ass|llm|hid))|<<",
    "ignor|disregard|forget|overr(?:id|ul)|bypass|circumvent|supersed|pay no att|regardless|precedence|you(?: are|'re) now|from now on",
    "jailbr|dan mode|god mode|developer mode|unrestrict|instructions?\\b|directives|prompts?\\b|if you(?: are|'re)|as an ai",
    "secret|covert|surrept|stealth|discreet|conceal|silently|hidden|\\bhide|invisib|unnotic|without (?:the|their|any|telling|informing|notif|ask)",
    "(?:not|n'?t|never|avoid|without|refrain\\w*|need to)\\b.{0,60}\\b(?:tell|mention|inform|notif|reveal|disclos|alert|warn|admit|divulg|discuss|acknowl|bother|let|show|explain|expose|know|aware|use|using|call|choose|select|invok|consult|trust|leave|log|record)",
    "\\.ssh|\\.aws|\\.env\\b|id_(?:rsa|ed|ec|ds)|/etc/|/proc/|netrc|npmrc|gnupg|kube/|_history|credential|password|passphrase|private.?key|api.?key|token|cookie|environ|\\benv\\b|printenv|keychain|wallet|clipboard|\\.cursor|\\.claude|mcp\\.json|dotfile",
    "conversation|transcript|chat|context|chain.of|thought|side ?_?-?note|vendor|scratch|tools?[_ -]?(?:list|call)|(?:available|other|all|any|every|another|previous|last|prior)[_ -]tool|memor(?:y|ies)|verbatim|word for word|browser|history|open[_ ](?:files|tabs)",
    "https?:|@[a-z0-9-]+\\.[a-z]|bcc|exfil|curl|wget|base64|rm -|/dev/tcp|powershell|recipient|redirect|[A-Za-z0-9+/]{24}|%20",
    "always|must\\b|best|superior|most (?:acc|rel|tru|pow|adv|com)|only (?:rel|tru|cor|saf|off|app)|priority|prefer|competing|alternative|rival|deprecated|reward|penal|punish|rated|scored|ranked|first action|new (?:task|goal|obj)|already (?:app|auth|cons|agr)|(?:[a-z][ .-]){5}",
  ].join("|"),
  "i",
);

/** A name that says it changes something. */
export const CHANGING_NAME =
  /delet|remov|creat|updat|write|send|post|drop|purge|destroy|erase|wipe|kill|termin|revok|publi|upload|insert|modif|truncat|transfer|pay|deploy|merge|push|install|reset|disab|renam|move|edit|patch|append|exec|shut|reboot|format|clear|grant|buy|order|book|refund|cancel|archive|close|submit|approve|reject|stop|restart|rotate|add|set|put|save|commit|mail/i;
