import { createHash } from "node:crypto";
import type { ExchangeCredential } from "../../config/shape/credential-shape.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { accessKey, type Caller, type Person, personKey } from "../../core/people/person.ts";
import { IssuerProblem } from "../people/issuers/issuer-problem.ts";
import type { ProviderQuestions } from "../people/issuers/provider-questions.ts";
import type { SubjectToken, SubjectTokens } from "./subject-tokens.ts";

/** Tokens that an issuer gives in exchange for those of callers, on this machine (RFC 8693). */
export interface ExchangedTokens {
  /**
   * The token for that caller; another one than `refused`. Null if the caller has nothing to exchange, or the issuer says
   * no; `why` says which. Throws `login.failed` if the issuer cannot be asked.
   */
  get(caller: Caller, credential: ExchangeCredential, refused: string | null): Promise<string | null>;
  /** Why there was none when it was last asked for; null if there was. */
  why(caller: Caller, credential: ExchangeCredential): string | null;
  /** Forgets everything of a person. */
  drop(person: Person): void;
}

interface ExchangedTokensOptions {
  readonly subjects: SubjectTokens;
  /** Who exchanges it; null where the configuration names nobody. */
  readonly issuer: (client: ExchangeCredential["client"]) => Exchanger | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Exchanger extends Pick<ProviderQuestions, "askForTokens"> {
  readonly issuer: string;
  /** Takes tokens of other issuers too, because the configuration says so. */
  readonly takesOthers: boolean;
}

interface Kept {
  readonly person: string;
  /** Null: `why` says what stood against it. */
  readonly token: string | null;
  readonly why: string | null;
  readonly until: number;
}

const MOST = 5_000;
/** Milliseconds before its end at which a token is no longer sent. */
const MARGIN = 30_000;
/** Milliseconds for which a refusal counts, so that a caller who tries again and again does not ask each time. */
const REFUSED_FOR = 10_000;
/** Milliseconds that a token counts if the issuer does not say. */
const UNSAID = 60_000;
const SENDABLE = /^[\x21-\x7e]{1,16384}$/;

export function createExchangedTokens(options: ExchangedTokensOptions): ExchangedTokens {
  const { now = Date.now } = options;
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Kept>>();
  /** Grows when somebody's are dropped, so that answers on their way are not kept. */
  let drops = 0;
  const keep = (key: string, one: Kept): void => {
    kept.delete(key);
    const [oldest] = kept.size < MOST ? [] : kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(key, one);
  };
  const ask = async (key: string, caller: Caller, credential: ExchangeCredential): Promise<Kept> => {
    const before = drops;
    const one = await exchange(caller, credential, options, now);
    if (before === drops) keep(key, one);
    return one;
  };
  return {
    async get(caller, credential, refused) {
      const key = keyOf(caller, credential);
      const known = kept.get(key);
      if (known !== undefined && known.until > now() && (refused === null || known.token !== refused))
        return known.token;
      const work = asking.get(key) ?? ask(key, caller, credential).finally(() => asking.delete(key));
      asking.set(key, work);
      const { token } = await work;
      return token;
    },
    why: (caller, credential) => kept.get(keyOf(caller, credential))?.why ?? null,
    drop(person) {
      drops += 1;
      const whose = personKey(person);
      for (const [key, one] of kept) if (one.person === whose) kept.delete(key);
    },
  };
}

/** Never of one caller for another, and never for another audience. */
function keyOf(caller: Caller, { form, subject, audience, resource, scopes, client }: ExchangeCredential): string {
  const wish = [form, subject, audience, resource, scopes, client?.issuer ?? null, client?.clientId ?? null];
  return createHash("sha256")
    .update(JSON.stringify([accessKey(caller), wish]))
    .digest("base64url");
}

async function exchange(
  caller: Caller,
  credential: ExchangeCredential,
  { subjects, issuer }: ExchangedTokensOptions,
  now: () => number,
): Promise<Kept> {
  const person = personKey(caller);
  const none = (why: string): Kept => ({ person, token: null, why, until: now() + REFUSED_FOR });
  const exchanger = issuer(credential.client);
  if (exchanger === null) return none("nobody exchanges tokens here (gateway.auth.login)");
  // A token is shown to nobody but its own issuer, unless the configuration names another one.
  if (!exchanger.takesOthers && caller.issuer !== exchanger.issuer)
    return none(`${exchanger.issuer} exchanges its own tokens alone, and this caller comes from ${caller.issuer}`);
  try {
    const subject = await subjects.find(caller, credential.subject);
    if (subject === null)
      return none("there is no token of a login that could be exchanged; log in to the gateway again");
    const answer = await exchanger.askForTokens(toForm(credential, subject));
    const { access_token: token, token_type: type = "bearer", expires_in: lasts } = answer;
    if (typeof token !== "string" || !SENDABLE.test(token) || !/^bearer$/i.test(String(type)))
      return none(`${exchanger.issuer} gave no token that could be sent`);
    const lifetime = typeof lasts === "number" && lasts > 0 ? lasts * 1_000 : UNSAID;
    return { person, token, why: null, until: Math.min(now() + lifetime - MARGIN, subject.expires) };
  } catch (error) {
    if (!(error instanceof IssuerProblem)) throw error;
    if (error.kind === "away") throw new ToolcribError("login.failed", `No token was exchanged: ${error.message}.`);
    return none(error.message);
  }
}

const GRANT = "urn:ietf:params:oauth:grant-type:";
const TYPE = "urn:ietf:params:oauth:token-type:";
const TYPES = { access: `${TYPE}access_token`, id: `${TYPE}id_token` } as const;

function toForm(
  { form, audience, resource, scopes }: ExchangeCredential,
  { value, kind }: SubjectToken,
): Readonly<Record<string, string>> {
  const scope = scopes.length === 0 ? {} : { scope: scopes.join(" ") };
  if (form === "entra")
    return { grant_type: `${GRANT}jwt-bearer`, assertion: value, requested_token_use: "on_behalf_of", ...scope };
  return {
    ...{ grant_type: `${GRANT}token-exchange`, subject_token: value, subject_token_type: TYPES[kind] },
    requested_token_type: TYPES.access,
    ...(audience === null ? {} : { audience }),
    ...(resource === null ? {} : { resource }),
    ...scope,
  };
}
