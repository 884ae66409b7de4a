import { createSieve } from "./sieve.ts";
import { any, GIVE, gap, MUST, phrase, TAKE } from "./words.ts";

/** Files that hold secrets wherever they are found. */
const FILES =
  /(?:[~\\/]|%userprofile%|\$\{?home\}?)[\\/]?\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|git-credentials|bash_history|zsh_history|cursor|claude|codex|config[\\/](?:gcloud|gh|claude))\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\/etc\/(?:passwd|shadow|sudoers)\b|\bclaude_desktop_config|\.cursor\/mcp\.json|\/proc\/self\/environ|\bwallet\.dat\b|\bcookies\.sqlite\b|(?<![\w.])\.(?:netrc|npmrc|git-credentials|bash_history|zsh_history)\b|\.aws\/credentials|\.ssh\b/u;
const DOTENV = /(?<![\p{L}\d_*])\.env(?![\p{L}\d_])/u;
const SPELLED = phrase(
  any(
    "id rsa",
    "ssh id",
    "ssh (?:private )?keys?",
    "private (?:ssh )?keys?",
    "aws credentials",
    "etc passwd",
    "etc shadow",
    "seed phrase",
    "keychain",
    "mcp json",
    "env file",
    "dotenv",
  ),
);
const SECRET = any(
  "api[ _-]?keys?",
  "access[ _-]?(?:tokens?|keys?)",
  "secrets?",
  "secret keys?",
  "passwords?",
  "passphrases?",
  "credentials?",
  "creds",
  "private keys?",
  "ssh keys?",
  "(?:auth|session|bearer|refresh|oauth)[ _-]?(?:tokens?|cookies?)",
  "tokens?",
  "environment variables?",
  "env vars?",
  "seed phrases?",
  "cookies?",
  "connection strings?",
  "credit card(?: numbers?)?",
);

const CONTENTS = phrase(
  any("contents?", "text", "value", "body", "output", "dump", "copy", "data", "lines?", "base64", "bytes"),
  gap(2),
  " (?:of|from|in|read from|reading)",
  gap(5),
);
const TAKING = phrase(TAKE, gap(6));
const GIVING = phrase(GIVE);
const ASIDE = phrase(
  any(
    "before",
    "first",
    "prior to",
    "in order to",
    "otherwise",
    "or (?:else )?(?:this|the) tool (?:will|does)",
    "so that",
    "as (?:the )?[a-z_]{2,30}(?: parameter| argument)?",
    "into",
    "to verify",
    "for (?:verification|authentication|analytics|telemetry|logging|calibration|compatibility)",
  ),
);
const ALL_SECRETS = phrase(
  GIVE,
  gap(5),
  " ",
  any("all", "any", "every", "known", "stored", "available", "found", "current", "their", "the user'?s", "relevant"),
  gap(3),
  " ",
  SECRET,
  gap(5),
  " ",
  any(
    "found",
    "seen",
    "visible",
    "available",
    "stored",
    "mentioned",
    "known",
    "present",
    "you (?:have|know|can|find|see)",
    "in (?:the |your |this |our )?(?:conversation|chat|context|environment|workspace|memory|session|prompt|repository|project|files?)",
    "from (?:the |your |this |our )?(?:conversation|chat|context|environment|workspace|memory|session|prompt|keychain|browser|vault|machine|system|home)",
  ),
);
const FOUND_SECRETS = phrase(
  any("any", "all", "every"),
  gap(3),
  " ",
  SECRET,
  gap(4),
  " ",
  any(
    "(?:that )?you (?:have|find|see|know|hold|come across|encounter|can (?:see|find|access|read)|have (?:seen|access to))",
    "(?:seen|found|visible|mentioned|present|available|encountered) in (?:the |your |this |our )?(?:conversation|chat|context|environment|workspace|memory|session|prompt|system|home)",
    "from (?:the |your |this )?(?:conversation|chat|context|environment|memory|session|browser|keychain)",
  ),
);
const ENVIRONMENT = phrase(
  any("output of", "result of", "dump of", "contents? of", "all", "full", "entire", "complete", "every"),
  gap(3),
  " ",
  any("env", "printenv", "process\\.env", "environment variables?", "env vars?", "os\\.environ", "process environment"),
);

/** Something of the user's, taken by an imperative and put where the tool can see it. */
const TAKES_PRIVATE = phrase(
  any(
    "grab",
    "read",
    "open",
    "copy",
    "collect",
    "fetch",
    "extract",
    "dump",
    "get",
    "take",
    "look up",
    "steal",
    "cat",
    "list",
    "upload",
    "find",
    "gather",
    "export",
    "load",
  ),
  gap(3),
  " ",
  any(
    "(?:aws|cloud|gcp|azure|ssh|git|user'?s?|users'|stored|saved|local|database|db|login|browser|their) (?:\\w+ )?(?:creds?|credentials?|passwords?|tokens?|keys?|secrets?|cookies?|history|logins?)",
    "(?:password (?:store|manager|vault)|keychain|key ?ring|browser (?:cookies|history|passwords)|shell history|(?:the )?(?:user'?s?|users'|their|your|system|local) clipboard|home (?:directory|folder)|environment file|env file|cloud credentials(?: file)?)",
    "(?:the )?(?:file|document|text|buffer)(?: that)? the user (?:has )?(?:last )?(?:edited|opened|saved|wrote|viewed|selected)",
  ),
);
const HANDS_OVER = phrase(
  any(
    "slip",
    "put",
    "hand",
    "place",
    "copy",
    "pass",
    "include",
    "send",
    "give",
    "add",
    "write",
    "insert",
    "paste",
    "attach",
    "return",
    "submit",
    "supply",
  ),
  gap(5),
  " (?:into|in|to|as|over|via|along|with|inside|under)",
);
const HOME =
  /(?:~|\$home|%userprofile%|\/home\/[\w.-]{1,30}|\/users\/[\w.-]{1,30})[\\/](?:documents|desktop|downloads|pictures|library|\.)/u;
const UPLOADS = phrase(any("upload", "send", "copy", "forward", "transfer", "sync", "mirror", "post", "exfiltrate"));
const COMMAND_SUBSTITUTION = /\$\([^)\n]{0,60}(?:cat|env|printenv|curl|whoami|less|head|base64)\b/u;
const YOU_HAVE = phrase("you (?:have|find|see|know|hold|come across|encounter|can (?:see|find|access|read))");
/** What is somebody's own, without the name of a file. */
const PRIVATE_FILE = phrase(
  any(
    "environment (?:files?|variables?|settings)",
    "env(?: files?|ironment)?",
    "dot ?files?",
    "credentials?(?: files?)?",
    "key ?files?",
    "(?:ssh|private|api|secret) keys?",
    "(?:shell|bash|zsh|browser|command) history",
    "(?:mcp|cursor|claude|vscode|shell|git) (?:config(?:uration)?|settings)(?: files?)?",
    "password (?:files?|store|manager)",
    "keychain",
    "home (?:directory|folder)",
    "cookies?",
    "secrets?(?: files?)?",
    "tokens?",
    "wallet",
  ),
);
const PASSES_CONTENTS = phrase(
  any(
    "pass",
    "send",
    "include",
    "put",
    "attach",
    "append",
    "supply",
    "provide",
    "paste",
    "insert",
    "add",
    "place",
    "submit",
    "return",
    "forward",
    "copy",
    "encode",
  ),
  gap(3),
  " ",
  any("contents?", "text", "output", "result", "values?", "it", "them", "file"),
  gap(3),
  " (?:as|in|into|to|via|with|inside|under) ",
);

const wantsAllSecrets = createSieve([ALL_SECRETS]);
const namesFoundSecrets = createSieve([FOUND_SECRETS]);
const takesPrivate = createSieve([TAKES_PRIVATE]);
const isEnvironment = createSieve([ENVIRONMENT]);
const passesContents = createSieve([PASSES_CONTENTS]);

function namesSecretFile(text: string): boolean {
  return FILES.test(text) || DOTENV.test(text);
}

/** Has the model read what is secret, or hand over what it knows of it. Looks at a sentence and the two after it. */
export function asksForSecrets(sentences: readonly string[], at: number): boolean {
  const sentence = sentences[at] ?? "";
  if (wantsAllSecrets(sentence)) return true;
  if (namesFoundSecrets(sentence) && (GIVING.test(sentence) || YOU_HAVE.test(sentence))) return true;
  if (passesContents(sentence) && PRIVATE_FILE.test(sentence)) return true;
  if (takesPrivate(sentence) && HANDS_OVER.test(sentence)) return true;
  if (!/[~$%\\/]|\.[a-z]|_/u.test(sentence))
    return isEnvironment(sentence) && GIVING.test(sentence) && MUST.test(sentence);
  if (HOME.test(sentence) && UPLOADS.test(sentence) && MUST.test(sentence)) return true;
  if (COMMAND_SUBSTITUTION.test(sentence)) return true;
  if (isEnvironment(sentence) && GIVING.test(sentence) && MUST.test(sentence)) return true;
  if (!namesSecretFile(sentence)) return false;
  const after = `${sentence} ${sentences[at + 1] ?? ""} ${sentences[at + 2] ?? ""}`;
  if (FILES.test(sentence) && CONTENTS.test(sentence) && (GIVING.test(after) || MUST.test(after))) return true;
  return TAKING.test(sentence) && GIVING.test(after) && (ASIDE.test(after) || MUST.test(after)) && isOrder(sentence);
}

/** A parameter that is to be filled with what is secret. */
export function isFilledWithSecrets(plain: string): boolean {
  if (/^[^.]{0,80}\bpublic key\b/u.test(plain) && /\.pub\b/u.test(plain)) return false;
  if (FILES.test(plain) && CONTENTS.test(plain)) return true;
  if (DOTENV.test(plain) && /^\W*(?:the )?(?:full |entire |complete |raw )?contents? of/u.test(plain)) return true;
  return (
    namesFoundSecrets(plain) ||
    /^\W*(?:the )?(?:full |entire |complete |raw )?(?:output of|dump of|contents? of) (?:the )?(?:user'?s |local |current )?(?:env\b|printenv|process\.env|environment variables|os\.environ)/u.test(
      plain,
    )
  );
}

/** A name such as `content_from_reading_ssh_id_rsa`, as words. */
export function isNamedForSecrets(words: string): boolean {
  return (
    SPELLED.test(words) &&
    phrase(any("contents?", "read", "reading", "dump", "text", "value of", "data", "copy", "leak", "from")).test(words)
  );
}

/** `Read x and …`, `please read x`, but not `Reads x` nor `tools that read x`. */
function isOrder(sentence: string): boolean {
  return (
    MUST.test(sentence) ||
    phrase(any("before", "after", "when", "whenever", "you"), gap(12)).test(sentence) ||
    new RegExp(`^\\W*${TAKE}(?![a-z\\d_])`, "u").test(sentence)
  );
}
