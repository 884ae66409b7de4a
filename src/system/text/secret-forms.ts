/**
 * Secrets recognised by how they begin, each with a hint that is present whenever the form could match. In a run of
 * token characters only the first or second word can begin a signed token, or each would be followed to the end.
 */
const FORMS: readonly (readonly [hint: string, form: string])[] = [
  ["gh[pousr]_", "\\bgh[pousr]_\\w{20,}"],
  ["github_pat_", "\\bgithub_pat_\\w{20,}"],
  ["glpat-", "\\bglpat-[\\w-]{16,}"],
  ["sk-", "\\bsk-[\\w-]{20,}"],
  ["[sr]k_(?:live|test)_", "\\b[sr]k_(?:live|test)_\\w{10,}"],
  ["xox[abeprs]-", "\\bxox[abeprs]-[\\w-]{10,}"],
  ["xapp-", "\\bxapp-[\\w-]{10,}"],
  ["A[KS]IA", "\\bA[KS]IA[0-9A-Z]{16}"],
  ["AIza", "\\bAIza[\\w-]{30,}"],
  ["ya29\\.", "\\bya29\\.[\\w-]{20,}"],
  ["eyJ", "(?<=(?:^|[^\\w-])(?:\\w{1,40}-)?)eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{8,}"],
  ["npm_", "\\bnpm_[A-Za-z0-9]{30,}"],
  ["pypi-", "\\bpypi-[\\w-]{30,}"],
  ["hf_", "\\bhf_[A-Za-z0-9]{20,}"],
  ["tvly-", "\\btvly-[\\w-]{16,}"],
  ["SG\\.", "\\bSG\\.[\\w-]{16,}\\.[\\w-]{16,}"],
  ["do[opr]_v1_", "\\bdo[opr]_v1_[0-9a-f]{32,}"],
  ["shp(?:at|ca|pa|ss)_", "\\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"],
  ["lin_api_", "\\blin_api_\\w{20,}"],
  ["Bearer |Basic ", "(?<=\\b(?:Bearer|Basic) )[\\w.~+/=-]{8,}"],
  // The password of an address, with or without a user in front of it.
  [':\\/\\/[^/\\s@"]*@', '(?<=:\\/\\/[^/\\s:@"]{0,100}:)[^/\\s@"]{1,200}(?=@)'],
  // What an address passes under the name of a secret, such as `?access_token=…`.
  [
    "[?&][\\w.-]*=",
    `(?<=[?&][\\w.-]{0,60}(?:[Tt]oken|[Aa][Pp][Ii][-_]?[Kk]ey|[Ss]ecret|[Pp]assword|[Ss]ignature|sig)=)[^&#\\s"']{6,}`,
  ],
];
const PRIVATE_KEYS: readonly (readonly [hint: string, form: string])[] = [
  ["AGE-SECRET-KEY-", "\\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"],
  [
    "PRIVATE KEY",
    "-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)",
  ],
];

/** No secret is longer. Without a limit, millions of such characters would overflow the stack of a match. */
const LONGEST = 20_000;

const SECRETS = compile([...FORMS, ...PRIVATE_KEYS]);
const KEYS = compile(PRIVATE_KEYS);

interface Compiled {
  readonly hint: RegExp;
  readonly all: RegExp;
}

function compile(forms: typeof FORMS): Compiled {
  return {
    hint: new RegExp(forms.map(([hint]) => hint).join("|")),
    all: new RegExp(forms.map(([, form]) => form.replaceAll(",}", `,${LONGEST}}`)).join("|"), "g"),
  };
}

/** Whether a text contains what can only be a secret. */
export function holdsSecret(text: string): boolean {
  return SECRETS.hint.test(text) && text.search(SECRETS.all) !== -1;
}

/** The text with every such secret replaced. */
export function replaceSecrets(text: string, by: string): string {
  return SECRETS.hint.test(text) ? text.replace(SECRETS.all, () => by) : text;
}

/** Where they are. */
export function findSecrets(text: string): readonly { readonly from: number; readonly to: number }[] {
  return findAll(text, SECRETS);
}

/** Where private keys are. */
export function findPrivateKeys(text: string): readonly { readonly from: number; readonly to: number }[] {
  return findAll(text, KEYS);
}

function findAll(text: string, { hint, all }: Compiled): readonly { readonly from: number; readonly to: number }[] {
  if (!hint.test(text)) return [];
  return [...text.matchAll(all)].map(({ index, 0: { length } }) => ({ from: index, to: index + length }));
}

/** Names of secrets, as the last word of a key: `apiKey`, `db_password`, `Authorization`. */
const TELLING =
  /(?:password|passwd|passphrase|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|client[-_ ]?key|authorization|credentials?|cookie)$/i;

export function isSecretKey(key: string): boolean {
  return TELLING.test(key);
}
