/** A line and a column of the code. */
export type StandsAt = readonly [line: number, column: number];

/** The current position in the code. */
export interface Where {
  /** The innermost position in the code's own functions; null if none of them is running. */
  readonly now: () => StandsAt | null;
  /** The same when the code names a tool: the code must do that itself, so that each call has a line of it. */
  readonly named: () => StandsAt;
  /** Where this error was created; null if unknown. */
  readonly ofError: (error: unknown) => StandsAt | null;
}

interface CallSite {
  getFileName(): unknown;
  getLineNumber(): number;
  getColumnNumber(): number;
}

/**
 * Makes the functions that ask the engine for the position. A stack as text would not do: it contains function names,
 * and the code may name a function like a whole stack, or write another stack. Only the text of this function gets into
 * the sandbox, where it removes everything with which the code could change the answer.
 */
export function makeWhere(file: string, noMemory: string): Where {
  const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { prototype: failure }: ErrorConstructor = Reflect.get(globalThis, "InternalError");
  const [OwnError, spots] = [Error, new WeakMap<object, StandsAt>()];
  const { get, set } = WeakMap.prototype;
  /** Code that could customise stacks would be handed the functions in them. */
  const take = (name: string, value: unknown): void => {
    const { set: setter } = getOwnPropertyDescriptor(OwnError, name) ?? {};
    if (setter === undefined || !deleteProperty(OwnError, name)) throw new TypeError(`Error.${name} is not a setting`);
    apply(setter, OwnError, [value]);
  };
  take("stackTraceLimit", 100);
  take("prepareStackTrace", (error: unknown, sites: readonly CallSite[]): string => {
    // The engine's own message does not say how much memory there is.
    if (typeof error === "object" && error !== null && getPrototypeOf(error) === failure) {
      const message = getOwnPropertyDescriptor(error, "message");
      if (message?.value === "out of memory") defineProperty(error, "message", { ...message, value: noMemory });
    }
    let text = "";
    for (let at = 0; at < sites.length; at++) {
      const site = sites[at];
      if (site?.getFileName() !== file) continue;
      const spot: StandsAt = [site.getLineNumber(), site.getColumnNumber()];
      if (text === "" && typeof error === "object" && error !== null) apply(set, spots, [error, spot]);
      text += `    at ${file}:${spot[0]}:${spot[1]}\n`;
    }
    return text;
  });
  const ofError = (error: unknown): StandsAt | null => apply(get, spots, [error]) ?? null;
  const now = (): StandsAt | null => ofError(new OwnError());
  const named = (): StandsAt => {
    const spot = now();
    if (spot === null)
      throw new OwnError("only the code itself can name a tool, not a function of the language for it");
    return spot;
  };
  return { ofError, now, named };
}
