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

/** Fills in the defaults; `concurrencySafe` follows `readOnly` unless stated. Tools with equal traits share them. */
export function toTraits(stated: StatedTraits | null | undefined): Traits {
  if (stated === null || stated === undefined) return CAUTIOUS;
  const readOnly = stated.readOnly === true;
  const concurrencySafe = (stated.concurrencySafe ?? readOnly) === true;
  const idempotent = stated.idempotent === true;
  const cancels = stated.interrupt === "cancel";
  const abortSiblings = stated.abortSiblings === true;
  const hostShell = stated.hostShell === true;
  const openWorld = (stated.openWorld ?? true) !== false;
  const number =
    (readOnly ? 1 : 0) |
    (concurrencySafe ? 2 : 0) |
    (idempotent ? 4 : 0) |
    (cancels ? 8 : 0) |
    (abortSiblings ? 16 : 0) |
    (hostShell ? 32 : 0) |
    (openWorld ? 64 : 0);
  const interrupt = cancels ? "cancel" : "finish";
  shared[number] ??= Object.freeze({
    readOnly,
    concurrencySafe,
    idempotent,
    interrupt,
    abortSiblings,
    hostShell,
    openWorld,
  });
  return shared[number];
}

/** By number; one for each combination that some tool has. */
const shared: Traits[] = [];
