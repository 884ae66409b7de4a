import { splitBehindReferences } from "../../core/shape/expand-variables.ts";

/** Names that people use for secrets. */
const SECRETIVE =
  /token|key|secret|pass|pwd|auth|cred|sig(?:nature)?$|cookie|session|bearer|private|cert|dsn|conn|webhook|salt|(?:^|_)pin$/i;
/** Includes addresses, because tokens hide in those too. */
const TELLING = new RegExp(`${SECRETIVE.source}|ur[il]`, "i");
/** The text of a reference is its default. */
const REFERENCE = /\$\{[A-Za-z_]\w*(?::-([^}]*))?\}/g;
/** One reference with a default, and nothing else. */
const WITH_DEFAULT = /^\$\{([A-Za-z_]\w*):-[^}]*\}$/;
/** Values that cannot be a secret: words and short numbers, as in `eu-west-1` and `1.2.3`. */
const HARMLESS =
  /^(?:|(?:[A-Za-z][a-z]{0,11}|[A-Z]{1,12}|\d{1,5})(?:[-_., ](?:[A-Za-z][a-z]{0,11}|[A-Z]{1,12}|\d{1,3})){0,3})$/;
/** Options of a program, as in `NODE_OPTIONS`; what they are named tells whether one is a secret. */
const OPTIONS = /^--?[A-Za-z]/;
const PATH_NAME = /(?:path|dir|directory|file|folder|home|root|cwd)$/i;
/** Begins as only a path does. */
const PATH = /^(?:\.{1,2}|~|\$\{\w+\}|\/(?:home|Users|opt|usr|var|etc|srv|mnt|tmp|data|workspaces?))\//;
const PLAIN_HEADERS = new Set(["accept", "content-type", "user-agent", "mcp-protocol-version"]);
/** Prefixes of well-known services' tokens; a long mixed text counts as one of an unknown service. */
const TOKEN =
  /(?:gh[opsur]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|AIza|eyJ|ya29\.|npm_|hf_|tvly-|pk_|rk_)[\w.-]{6,}|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{24,}/;

/** What is not plainly harmless counts as a secret: asking for one variable too many is better than a leak. */
export function isLikelySecret(name: string, value: string): boolean {
  const said = saidBesideReferences(value);
  if (said === "") return false;
  if (TOKEN.test(said)) return !(PATH_NAME.test(name) && /^[./~]/.test(value));
  if (TELLING.test(name)) return !/^(?:true|false)$/.test(said);
  if (OPTIONS.test(said)) return SECRETIVE.test(said);
  const isPath = PATH.test(value) || PATH.test(said) || (PATH_NAME.test(name) && /^[./~]/.test(value));
  return !HARMLESS.test(said) && !isPath;
}

export function isLikelySecretHeader(name: string, value: string): boolean {
  const said = saidBesideReferences(value);
  const isPlainDefault = said !== value && HARMLESS.test(said) && !SECRETIVE.test(name);
  return said !== "" && !isPlainDefault && !PLAIN_HEADERS.has(name.toLowerCase());
}

/** References name secrets and are none; what remains is the other text, and their defaults. */
function saidBesideReferences(value: string): string {
  const [head, tail] = splitBehindReferences(value);
  const said = head.replace(REFERENCE, (_, fallback: string | undefined) => fallback ?? "") + tail;
  if (said !== value && !/[A-Za-z0-9]/.test(said)) return "";
  // The name of a scheme before a reference, as in `Bearer ${TOKEN}`.
  return said !== value && /^[A-Za-z]+ ?$/.test(said) && /^[A-Za-z]+ \$\{\w+(?::-)?\}$/.test(value) ? "" : said;
}

/** Assigns a variable to each secret; equal secrets under equal names share one. */
export interface Variables {
  /** The reference to write instead of a secret. */
  refer(wanted: string, owner: string, secret: string): string;
  /** Notes a variable that the file itself refers to. */
  note(name: string, about: string | null): void;
  /** Whether a variable of the file's own may hold this text from now on; not if it holds another one. */
  take(name: string, owner: string, text: string): boolean;
  readonly all: readonly Variable[];
  /** The secrets of the invented references. */
  readonly secrets: ReadonlyMap<string, string>;
}

export interface Variable {
  readonly name: string;
  /** What it is for, as far as anybody said. */
  readonly about: string | null;
}

/** `taken` are names that the files refer to already: their values are not ours to change. `keys` are known secrets. */
export function createVariables(
  taken: ReadonlySet<string> = new Set(),
  keys: ReadonlyMap<string, string> = new Map(),
): Variables {
  const secrets = new Map<string, string>(keys);
  const known = new Map<string, Variable>();
  const note = (name: string, about: string | null): void => {
    if (known.get(name)?.about == null) known.set(name, { name, about });
  };
  return {
    refer(wanted, owner, secret) {
      const isFree = (name: string) =>
        secrets.has(name) ? secrets.get(name) === secret : !known.has(name) && !taken.has(name);
      const isOwn = toSecretName(wanted).startsWith(`${toSecretName(owner)}_`);
      const candidates = [toSecretName(wanted), ...(isOwn ? [] : [toSecretName(`${owner}_${wanted}`)])];
      let name = candidates.find(isFree);
      for (let at = 2; name === undefined; at++) {
        const numbered = toSecretName(`${isOwn ? wanted : `${owner}_${wanted}`}_${at}`);
        if (isFree(numbered)) name = numbered;
      }
      secrets.set(name, secret);
      note(name, `for server "${owner}"`);
      return `\${${name}}`;
    },
    note,
    take(name, owner, text) {
      if ((secrets.get(name) ?? text) !== text) return false;
      secrets.set(name, text);
      note(name, `for server "${owner}"`);
      return true;
    },
    secrets,
    get all() {
      return [...known.values()];
    },
  };
}

export function toSecretName(text: string): string {
  const name = text
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1_")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return /^\d/.test(name) ? `_${name}` : name || "VALUE";
}

/** An environment value or header, with the secret in it replaced; the name of a scheme stays readable. */
export function referValue(name: string, value: string, owner: string, variables: Variables): string {
  const own = WITH_DEFAULT.exec(value)?.[1];
  // The variable keeps the name that people know; only the secret in its default is removed.
  if (own !== undefined && variables.take(own, owner, value)) return `\${${own}}`;
  if (value.includes("://") && !SECRETIVE.test(name)) return referAddress(value, owner, variables, name);
  const scheme = /^(Bearer|Basic|Token) +(.+)$/i.exec(value);
  if (scheme?.[1] !== undefined && scheme[2] !== undefined)
    return `${scheme[1]} ${variables.refer(`${owner}_token`, owner, scheme[2])}`;
  return variables.refer(name, owner, value);
}

/** Arguments of a command: `--token abc`, `--token=abc`, `-e NAME=abc`, `Header: abc`, addresses, and tokens anywhere. */
export function referArguments(args: readonly string[], owner: string, variables: Variables): readonly string[] {
  let telling: string | null = null;
  return args.map((arg) => {
    const named = telling;
    const option = /^-{1,2}([\w-]+)$/.exec(arg)?.[1] ?? null;
    telling = option !== null && (TELLING.test(option) || option === "header") ? option : null;
    if (option !== null && !TOKEN.test(arg)) return arg;
    const [whole = "", front = "", name = "", rest = ""] = /^(-{0,2}([\w-]+)(?:=|: *))(.+)$/.exec(arg) ?? [];
    if (whole !== "" && !arg.includes("://")) {
      const isSecret = isLikelySecret(name, rest) && (TELLING.test(name) || TOKEN.test(rest));
      return isSecret ? front + referValue(/^-/.test(front) ? `${owner}_${name}` : name, rest, owner, variables) : arg;
    }
    if (arg.includes("://")) return referAddress(arg, owner, variables);
    const isSecret = (named !== null && named !== "header" && isLikelySecret(named, arg)) || isBareToken(arg);
    return isSecret ? variables.refer(`${owner}_${named ?? "token"}`, owner, arg) : arg;
  });
}

/** Packages and paths are long and mixed too; a token has neither slashes nor a scope. */
function isBareToken(arg: string): boolean {
  return (
    TOKEN.test(arg) &&
    !/[/\\@]|\.[a-z]{1,4}$/.test(arg) &&
    saidBesideReferences(arg) !== "" &&
    !/^[a-z]+(?:-[a-z0-9]+)*$/.test(arg)
  );
}

/** User, password, parameters named like secrets, and random parts of the path. */
export function referAddress(
  address: string,
  owner: string,
  variables: Variables,
  wanted: string = `${owner}_url`,
): string {
  const whole = () => variables.refer(wanted, owner, address);
  const user = /:\/\/[^/?#@]*@/.exec(address)?.[0];
  if (user !== undefined && !/^:\/\/(?:\$\{\w+\}:?)+@$/.test(user)) return whole();
  const [front = "", query = ""] = address.split(/\?(.*)/s, 2);
  const isSecretPath = front
    .replace(/^[a-z+.-]+:\/\/[^/]*/i, "")
    .split("/")
    .some((part) => TOKEN.test(part) && !part.includes("${"));
  if (isSecretPath) return whole();
  if (query === "") return address;
  const parts = query.split("&").map((part) => {
    const [name = "", value] = part.split(/=(.*)/s, 2);
    if (value === undefined || !isLikelySecret(name, value) || !(TELLING.test(name) || TOKEN.test(value))) return part;
    return `${name}=${variables.refer(`${owner}_${name}`, owner, value)}`;
  });
  return `${front}?${parts.join("&")}`;
}
