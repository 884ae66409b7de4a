/** What a tool promises about its effects. The table is closed; an unknown promise counts as the riskier value. */
export interface Traits {
  /** It changes nothing. */
  readonly readOnly: boolean;
  /** It may run in parallel with other calls; defaults to `readOnly`. */
  readonly concurrencySafe: boolean;
  /** A second call with the same arguments changes nothing more. */
  readonly idempotent: boolean;
  /** What an interrupt does to a running call. */
  readonly interrupt: "cancel" | "finish";
  /** Its failure ends the calls running in parallel. */
  readonly abortSiblings: boolean;
  /** It runs commands on the host. */
  readonly hostShell: boolean;
  /** It reaches beyond this machine. */
  readonly openWorld: boolean;
}

const CAUTIOUS: Traits = {
  readOnly: false,
  concurrencySafe: false,
  idempotent: false,
  interrupt: "finish",
  abortSiblings: false,
  hostShell: false,
  openWorld: true,
};

export const TRAIT_NAMES: readonly string[] = Object.keys(CAUTIOUS);

/** Whether a trait can have this value, for traits read from outside. */
export function isTrait(name: string, value: unknown): boolean {
  if (name === "interrupt") return value === "cancel" || value === "finish";
  return TRAIT_NAMES.includes(name) && typeof value === "boolean";
}

/** Traits as somebody states them; null is not stated. */
export type StatedTraits = { readonly [T in keyof Traits]?: Traits[T] | null };

/** Fills in the defaults; `concurrencySafe` follows `readOnly` unless stated. */
export function toTraits(stated: StatedTraits | null | undefined): Traits {
  if (stated === null || stated === undefined) return CAUTIOUS;
  const readOnly = stated.readOnly ?? false;
  return {
    readOnly,
    concurrencySafe: stated.concurrencySafe ?? readOnly,
    idempotent: stated.idempotent ?? false,
    interrupt: stated.interrupt ?? "finish",
    abortSiblings: stated.abortSiblings ?? false,
    hostShell: stated.hostShell ?? false,
    openWorld: stated.openWorld ?? true,
  };
}
