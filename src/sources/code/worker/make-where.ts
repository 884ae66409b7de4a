/** Where the code stands: the innermost line and column of a file; null where none of its functions runs. */
export type Where = () => readonly [line: number, column: number] | null;

interface CallSite {
  getFileName(): unknown;
  getLineNumber(): number;
  getColumnNumber(): number;
}

/**
 * Makes the function that asks the engine where the code stands. A stack as text would not do: it holds names of functions,
 * and the code may name a function like a whole stack. Only the text of this function gets into the sandbox, where it takes
 * away from the code what could change the answer.
 */
export function makeWhere(file: string): Where {
  const { apply, deleteProperty, getOwnPropertyDescriptor } = Reflect;
  const OwnError = Error;
  /** Whoever could say how stacks are written would be given the functions that stand in them. */
  const take = (name: string): ((value: unknown) => void) => {
    const { set } = getOwnPropertyDescriptor(OwnError, name) ?? {};
    if (set === undefined || !deleteProperty(OwnError, name)) throw new TypeError(`Error.${name} is not a setting`);
    return (value) => apply(set, OwnError, [value]);
  };
  const [setLimit, setPrepare] = [take("stackTraceLimit"), take("prepareStackTrace")];
  setLimit(100);
  let found: readonly [number, number] | null = null;
  const prepare = (_error: unknown, sites: readonly CallSite[]): string => {
    for (let at = 0; at < sites.length && found === null; at++) {
      const site = sites[at];
      if (site?.getFileName() === file) found = [site.getLineNumber(), site.getColumnNumber()];
    }
    return "";
  };
  return () => {
    found = null;
    setPrepare(prepare);
    try {
      new OwnError();
    } finally {
      setPrepare(undefined);
    }
    return found;
  };
}
