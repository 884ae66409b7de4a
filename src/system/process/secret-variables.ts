import { holdsSecret } from "../text/secret-forms.ts";

/** Names that people use for secrets in their environment; `*` matches anything. */
const SECRET_NAMES: readonly string[] = [
  ...["*TOKEN", "*TOKEN_*", "*_KEY", "*_KEY_*", "*APIKEY*", "*API_KEY*", "*SECRET*", "*PRIVATE_KEY*"],
  ...["*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*PASSCODE*", "*_PASS", "*_PWD", "PGPASS*", "*_PAT", "*_PIN"],
  ...["*CREDENTIAL*", "*_CREDS", "*AUTH*", "*BEARER*", "*COOKIE*", "*_JWT", "*SIGNATURE*", "*_SALT"],
  ...["*DATABASE_URL*", "*DB_URL", "*_DSN", "*CONNECTION_STRING*", "*CONN_STR*", "*_WEBHOOK*"],
  ...["KEY", "PASS", "PAT", "JWT", "DSN"],
];

/**
 * Exceptions to the patterns above: where an agent or a display listens, and who wrote a commit. A value that looks
 * like a secret is withheld under these names too.
 */
const PLAIN_NAMES: readonly string[] = [
  ...["SSH_AUTH_SOCK", "XAUTHORITY", "ICEAUTHORITY", "GIT_AUTHOR_*", "*_AUTHOR", "*_AUTHORS", "OLDPWD"],
];

const SECRETIVE = toPattern(SECRET_NAMES);
const PLAIN = toPattern(PLAIN_NAMES);

/** Whether a variable looks like a secret, by its name or its value. */
export function isSecretVariable(name: string, value: string): boolean {
  const isNamedSo = SECRETIVE.test(name) && !PLAIN.test(name);
  return (isNamedSo && value !== "") || holdsSecret(value);
}

function toPattern(globs: readonly string[]): RegExp {
  return new RegExp(`^(?:${globs.map((glob) => glob.replaceAll("*", ".*")).join("|")})$`, "is");
}
