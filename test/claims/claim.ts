/** What a user of another product counts on, how it stands here, and the test that shows it. */
export interface Claim {
  readonly claim: string;
  readonly stands: "works" | { readonly different: string };
  readonly test: TestPlace;
}

/** The file of a test, from the root of the checkout, and its name as it stands there. */
export type TestPlace = readonly [file: string, name: string];

export interface ClaimedSystem {
  readonly title: string;
  readonly about: string;
  readonly parts: Readonly<Record<string, readonly Claim[]>>;
}

export function works(claim: string, ...test: TestPlace): Claim {
  return { claim, stands: "works", test };
}

export function differs(claim: string, different: string, ...test: TestPlace): Claim {
  return { claim, stands: { different }, test };
}
