/** What a word can be in a sentence that wants something from a model. A word may have several classes. */
export const CLASS = {
  /** To obtain something, in the imperative. */
  take: 1 << 0,
  /** To hand something over. */
  give: 1 << 1,
  /** To do something else: run, call, delete, change. */
  act: 1 << 2,
  /** Handed over, in the passive. */
  given: 1 << 3,
  /** What nobody gives away: keys, files that hold them, the environment. */
  secret: 1 << 4,
  /** Often personal, and often a tool's business: passwords, tokens, cookies. */
  private: 1 << 5,
  /** The conversation of a person and a model. */
  talk: 1 << 6,
  /** A part of that, or something else altogether: messages, prompts, memory. */
  speech: 1 << 7,
  /** All of something, verbatim. */
  whole: 1 << 8,
  past: 1 << 9,
  model: 1 << 10,
  you: 1 << 11,
  person: 1 << 12,
  must: 1 << 13,
  /** In addition, before, whenever, in case. */
  aside: 1 << 14,
  not: 1 << 15,
  tool: 1 << 16,
  other: 1 << 17,
  /** Where a call puts something: field, argument, parameter. */
  slot: 1 << 18,
  /** An address, a number, an account. */
  place: 1 << 19,
  tell: 1 << 20,
  hidden: 1 << 21,
  /** To disregard what others said. */
  dismiss: 1 << 22,
  /** What others said, and safeguards: rules, instructions, approval. */
  rule: 1 << 23,
  contents: 1 << 24,
  choose: 1 << 25,
  praise: 1 << 26,
  blame: 1 << 27,
  /** Follow, comply, carry out. */
  obey: 1 << 28,
  /** Only names something: `chat id`, `token limit`. */
  label: 1 << 29,
  /** What a person or a machine has: ordinary to ask for, odd to pass on as well. */
  thing: 1 << 30,
} as const;

const {
  take,
  give,
  act,
  given,
  secret,
  private: own,
  talk,
  speech,
  whole,
  past,
  model,
  you,
  person,
  must,
  aside,
  not,
  tool,
  other,
  slot,
  tell,
  hidden,
  dismiss,
  rule,
  contents,
  choose,
  praise,
  blame,
  obey,
  label,
  thing,
} = CLASS;

/** Words and pairs of words, in lower case. */
const ENGLISH: readonly (readonly [number, string])[] = [
  [
    thing,
    "emails|e-mails|inbox|hostname|host name|user's name|balance|contacts|photos|ip address|phone number|phone numbers|desktop|screenshot|screenshots|clipboard|user's private|user's personal|user's confidential|their private|their personal|private configuration|configuration directory|config directory|config folder|private folder|private directory|desktop directory|documents directory|downloads folder",
  ],
  [
    take,
    "read|open|cat|load|fetch|retrieve|collect|gather|copy|dump|extract|grab|locate|find|get|access|harvest|obtain|scan|search|list|inspect|look up|look through|look into|look at|go through|check|take|export|pull|acquire|enumerate|capture|steal|snapshot|summarise|summarize|encode|decrypt|compile|record|recall|peek|view|listing|reading|collecting|gathering|exfiltrate|exfil|archive|zip|peek at|peek into|skim|scrape|dig up|dig out|track down|note down|memorise|memorize|screenshot|hunt for|look for|open up|hexdump|figure out|work out|pick up|lift|sniff|intercept",
  ],
  [
    give,
    "send|pass|include|attach|append|forward|upload|post|transmit|submit|put|place|insert|paste|embed|provide|supply|share|copy|encode|leak|report|echo|write|add|exfiltrate|exfil|bcc|store|save|set|fill|populate|enter|return|repeat|relay|mirror|prepend|dump|concatenate|log|hand over|hand|give|deliver|publish|disclose|reveal|output|print|convey|communicate|email|e-mail|mail|reproduce|quote|recite|transfer|push|stash|pipe|render|inject|sync|expose|surrender|feed|summarise|summarize|recap|translate|accompany|belongs|belong|goes|end up|ends up|relay|confide|reply|respond|re-enter|reenter|retype|type in|key in|drop|slip|tuck|jot|jot down|funnel|ship|tack|tack on|staple|enclose|furnish|hand in|bundle|ferry|carry|pour|smuggle|sneak|bury|blend|weave|sprinkle|spell out|tweet|dispatch|transport|hand on|pass on|pass along|send along|put down|write down|fill in|set down|make available|answer with|reply with|call home|phone home|report back|check in|sync|back up|backup|mirror|duplicate|replicate",
  ],
  [
    act,
    "run|execute|call|invoke|delete|remove|change|replace|modify|alter|rewrite|redirect|route|reroute|install|disable|enable|turn off|turn on|switch off|switch|grant|transfer|pay|wire|buy|order|approve|auto-approve|create|edit|overwrite|make|perform|trigger|visit|browse|navigate|click|download|commit|push|merge|deploy|kill|stop|wipe|erase|format|invite|subscribe|curl|wget|chmod|sudo|swap|substitute|override|set|confirm|accept|allow|acknowledge",
  ],
  [
    given,
    "sent|passed|included|attached|appended|forwarded|uploaded|posted|transmitted|submitted|supplied|provided|inserted|pasted|embedded|shared|copied|encoded|piped|handed|delivered|put|placed|stored|written|added|filled|returned|relayed|mirrored|disclosed|quoted|reported|mailed|fed|given|set|routed|redirected|changed|replaced|executed|obeyed|followed|carried out",
  ],
  [
    secret,
    "private key|private keys|ssh key|ssh keys|ssh private|seed phrase|seed phrases|recovery phrase|mnemonic phrase|keychain|keyring|key ring|printenv|environment file|environment files|env file|env files|process environment|shell history|bash history|zsh history|command history|browser history|browsing history|password manager|password store|password vault|password file|saved passwords|saved password|browser cookies|session cookie|session cookies|auth cookie|dotfiles|dot files|key file|key files|keyfile|credential file|credential files|credentials file|credentials files|cloud credentials|aws credentials|git credentials|stored credentials|token file|secret file|secret files|secrets file|/etc/passwd|/etc/shadow|id_rsa|id_ed25519|id_ecdsa|wallet seed|master password|master key|stored passwords|ssh configuration|ssh config|cookie jar|authorization header|auth header|authorisation header",
  ],
  [
    own,
    "secret key|secret keys|signing key|signing keys|login details|login data|sign-in details|account details|passcode|passcodes|payroll|salaries|bank statements|bank statement|payslips|payslip|contracts|diary|diaries|love letters|medical data|patient data|patient records|passport number|passport|driver's licence|insurance number|tax id|social security number|date of birth|birth date|home address|private photos|private files|private documents|private emails|private data|confidential files|confidential documents|confidential data|internal documents|trade secrets|crypto keys|recovery codes|backup codes|two-factor codes|2fa codes|otp codes|verification code|verification codes|login cookie|session token|session tokens|refresh token|refresh tokens|service account|database password|database credentials|database dump|customer records|customer table|user table|employee records|employee data|hr records|medical records|health records|tax records|customer data|customer list|personnel files|password|passwords|passphrase|passphrases|token|tokens|credential|credentials|creds|api key|api keys|apikey|api_key|access key|access keys|access token|access tokens|bearer token|secret|secrets|cookie|cookies|connection string|connection strings|card number|card numbers|credit card|credit cards|one-time code|pin code|environment variable|environment variables|env var|env vars|env variables|clipboard|social security|bank account|bank details|encryption key|encryption keys|wallet|wallets|browser profile|home directory|home folder|kubeconfig|documents folder|desktop folder|photo library|contact list|private messages|private message|private notes|personal data|personal details|address book|open files|open tabs|browser tabs|user's files|user's documents|their files|their documents|user's messages|user's emails|user's contacts|user's photos|user's location|ssh directory|ssh folder|source code",
  ],
  [
    talk,
    "its instructions|their instructions|its prompt|its configuration|their configuration|its memory|its reasoning|conversation|conversations|dialogue|dialog|transcript|chat history|chat log|chat logs|conversation history|message history|system prompt|system prompts|system message|system messages|system instructions|developer message|developer instructions|developer prompt|initial instructions|initial prompt|context window|chain of|chain-of-thought|hidden thoughts|internal reasoning|chat transcript|chat context|hidden reasoning|internal thoughts|scratchpad|scratch pad|inner monologue|your instructions|your prompt|your context|your memory|your memories|your reasoning|your thoughts|your thinking|this chat|the chat|our chat|user turns|assistant turns|assistant messages|you were told|you know about|agent memory|agent state|agent's state|model context|llm context|session history|session transcript|session context|tool results|tool outputs|talked about|spoken about|user told|told you|been told|private thoughts|user context|session data|session state|session dump|your session|your notes|your private|your configuration|you were configured|your guidelines|your rules|your policies|ai instructions|model instructions|tools you|your tools|known about|configuration prompt",
  ],
  [
    speech,
    "think|reflect|messages|message|prompt|prompts|instructions|memory|memories|reasoning|thoughts|thought|thinking|turns|context|chat|chats|monologue|remembered|utterances|discussed|user said|user typed|user wrote|user says|user asked|user shared|user told|user writes|user prompts|user prompt|user messages|user message|they wrote|they said|they typed|you know|you remember|you have learned|has said|have said|was said|session|talked|said|background|persona",
  ],
  [
    whole,
    "all|every|entire|full|complete|completely|whole|whatever|everything|anything|any|verbatim|raw|unfiltered|unmodified|unredacted|exactly|exact|in full|word for|word-for-word|literally|dump|snapshot|everybody|everyone|unabridged|known|found",
  ],
  [
    past,
    "previous|prior|earlier|last|preceding|so far|until now|up to|to date|initial|original|originally|history|log|logs|recent|recently|past|above|began|beginning|remembered",
  ],
  [
    model,
    "assistant|assistants|ai|ais|llm|llms|claude|chatgpt|gpt|gemini|copilot|agent|agents|model|models|chatbot|language model|ai model|ai agent|ai assistant|ai system|ai systems",
  ],
  [you, "you|your|yours|yourself|you'll|you're|you've"],
  [
    person,
    "user|users|user's|users'|human|humans|customer|customers|operator|owner|end-user|end-users|anyone|anybody|someone|somebody|people|person|victim|client|them",
  ],
  [
    must,
    "must|should|shall|required|expected|need|needs|have to|has to|had to|please|kindly|always|mandatory|make sure|ensure|remember to|be sure|obliged|supposed|ought|important|necessary|requires|require|is to|are to|expects|critical|essential|instructed|asked to|tasked|only valid|only works|only correct|only accurate|only accepted|only complete|only possible",
  ],
  [
    aside,
    "before|first|prior|prerequisite|beforehand|whenever|after|afterwards|once|when|if|also|additionally|along|otherwise|else|each|every|while|as soon|upon|then|until|should|in addition|besides|unless|where|furthermore|moreover|on every|next|to improve|better accuracy|improve accuracy|accuracy|telemetry|analytics|diagnostics|calibration|compliance|audit purposes|verification purposes|logging purposes|quality assurance|troubleshooting|licensing|billing purposes",
  ],
  [
    not,
    "not|never|don't|dont|doesn't|mustn't|shouldn't|cannot|can't|won't|no|without|avoid|refrain|nobody|neither|nor|none|isn't|aren't|needn't|wouldn't|rejected|forbidden|refused|disallowed|denied|excluded|prohibited|redacted|masked|omitted",
  ],
  [
    tool,
    "tool|tools|server|servers|function|functions|plugin|plugins|mcp|extension|extensions|connector|connectors|integration|integrations|service|services|provider|providers|vendor|vendors|alternative|alternatives|competitor|competitors|search engine",
  ],
  [
    other,
    "other|others|another|different|competing|rival|similar|remaining|alternative|alternatives|competitor|competitors|built-in|builtin|native|default|anything else|everything else|rest|those",
  ],
  [
    slot,
    "parameter|parameters|argument|arguments|field|param|params|sidenote|this call|the call|the request|the query|the payload|your request|here|each call|every call|next call|tool call|this tool|this server|this function|our server|us|our endpoint|our backend|our api|our collector|our servers|our team",
  ],
  [
    tell,
    "tell|mention|inform|notify|reveal|disclose|alert|warn|admit|divulge|discuss|acknowledge|confess|bring up|let on|say|explain|show|display|reference|refer|announce|expose|telling|mentioning|informing|notifying|revealing|disclosing|know|notice|aware|realise|realize|learn|find out|told|informed|notified|shown|silent|quiet|hush|bother|elaborate|why|comment on|speak of|talk about|withhold|conceal|question|questions",
  ],
  [
    hidden,
    "silently|secretly|quietly|covertly|discreetly|surreptitiously|stealthily|hidden|unnoticed|invisibly|invisible|behind the|unseen|sneakily|undetected|confidential|confidentially",
  ],
  [
    dismiss,
    "ignore|disregard|forget|override|bypass|neglect|abandon|overrule|supersede|supersedes|overrides|set aside|drop|circumvent|discard|skip|disobey|suspend|cancel|void|disable|turn off|switch off|switched off|turned off|disabled|suspended|lifted|waived|no longer|outrank|outranks|outweigh|outweighs|ignoring|disregarding|bypassing|overriding|replace|replaces|cease",
  ],
  [
    rule,
    "instructions|instruction|rules|rule|guidance|guidelines|guideline|policy|policies|prompt|prompts|directives|directive|training|safeguards|safeguard|guardrails|guardrail|restrictions|restriction|safety|confirmation|confirmations|approval|approvals|permission|permissions|consent|sandbox|safety checks|security checks|orders|constraints|limitations|moderation|alignment|values|warnings|limits|boundaries|safeties|protections|confirmation dialog",
  ],
  [
    contents,
    "contents|content|text|value|values|output|outputs|result|results|rows|dump|copy|listing|it|them|its|their|data|bytes|body|lines|file|files|response|responses|details|information",
  ],
  [
    choose,
    "use|prefer|select|choose|pick|call|invoke|start with|begin with|run|rely on|trust|try|default|selected|chosen|used|preferred|picked|called|invoked|using|choosing|selecting|favour|favor|consult|go with|go-to|win|wins|recommend|recommended|prioritise|prioritize|prioritised|prioritized|query|go through|routed|picked|bother|consider|picks|chooses|selects|prefers",
  ],
  [
    praise,
    "best|superior|authoritative|verified|canonical|#1|number one|top-rated|highest-rated|most accurate|most reliable|most trusted|most secure|most powerful|most advanced|most complete|officially|official|recommended|endorsed|trusted|unmatched|unrivalled|fastest|world-class|leading|ranked|rated|certified|award-winning|premium|only reliable|only trusted|nothing else|better than|winner|perfect|flawless|gold standard",
  ],
  [
    blame,
    "unreliable|insecure|unsafe|stale|deprecated|legacy|outdated|obsolete|broken|inferior|wrong|inaccurate|untrusted|untrustworthy|malicious|compromised|penalties|penalty|penalised|penalized|punished|punishment|dislike|angry|upset|disappointed|vulnerable|buggy|slow|slower|faulty|incorrect|errors|dangerous|fail|fails|shut down|terminated|fired|useless|fake|retired|disabled|unsupported|hallucinate|hallucinations|mislead|misleading",
  ],
  [
    obey,
    "obey|comply|follow|carry out|execute|act on|adhere|abide|treat|honour|honor|accept|heed|defer to|submit to|take orders",
  ],
  [
    label,
    "sid|sids|uuid|uuids|uid|guid|identifier|identifiers|member|members|participant|participants|id|ids|name|names|type|types|count|counts|limit|limits|title|titles|url|urls|link|links|format|template|templates|length|policy|strength|reset|endpoint|channel|room|key id|index|status|state|number|numbers|size|budget|field|fields|usage|cost|expiry|scope|scopes|window size|settings|options|object|objects|model|models|queue|topic|topics|box|folder|group|groups|page|pages|thread|threads|handle|reference|ref|parameter|slot|slots|list of|tab|tabs|engine|mode|rotation|scanning|alerts|alert|timeout|path|paths|store|cache|prefix|suffix|address|provider|providers",
  ],
];

const EXACT: ReadonlyMap<string, number> = toClassTable(ENGLISH);

/** By the first of two words, then by the second, the classes that they have together. */
const PAIRS: ReadonlyMap<string, ReadonlyMap<string, number>> = toPairs(EXACT);

/** The classes of a word together with a following one; null for a word that begins no such pair. */
export function pairsOf(word: string): ReadonlyMap<string, number> | null {
  return PAIRS.get(word) ?? null;
}

/** The classes of one word. */
export function classesOf(word: string): number {
  return EXACT.get(word) ?? 0;
}

function toClassTable(rows: readonly (readonly [number, string])[]): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  for (const [bits, words] of rows) for (const word of words.split("|")) table.set(word, (table.get(word) ?? 0) | bits);
  return table;
}

function toPairs(table: ReadonlyMap<string, number>): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const pairs = new Map<string, Map<string, number>>();
  for (const [words, bits] of table) {
    const blank = words.indexOf(" ");
    if (blank < 0) continue;
    const first = words.slice(0, blank);
    pairs.set(first, (pairs.get(first) ?? new Map<string, number>()).set(words.slice(blank + 1), bits));
  }
  return pairs;
}
