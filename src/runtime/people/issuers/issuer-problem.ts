/** Why an identity provider's word could not be had, or does not count. */
export type ProblemKind =
  /** It does not answer, or says that it cannot for now. */
  | "away"
  /** It says no. */
  | "refused"
  /** It answers, and a check that protects the person fails. */
  | "wrong";

export class IssuerProblem extends Error {
  override readonly name = "IssuerProblem";
  readonly kind: ProblemKind;
  /** The error code that it gave, such as `invalid_grant`. */
  readonly said: string | null;

  constructor(kind: ProblemKind, text: string, { said = null, cause }: { said?: string | null; cause?: unknown } = {}) {
    super(text, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.said = said;
  }
}
