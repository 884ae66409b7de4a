/** Shown in place of a value that cannot be serialised. */
export const UNSHOWN = "[a value that JSON cannot hold]";

/**
 * Makes the function that formats values for the model, in at most so many characters plus one if cut. Only its text
 * gets into the sandbox.
 */
export function makeShow(unshown: string, most: number): (value: unknown) => string {
  const { stringify } = JSON;
  const { from } = Array;
  const [OwnError, OwnMap, OwnSet, toText] = [Error, Map, Set, String];
  const keep = (_key: string, value: unknown): unknown => {
    if (typeof value === "bigint") return toText(value);
    if (value instanceof OwnMap || value instanceof OwnSet) return from(value);
    return value instanceof OwnError ? `${value.name}: ${value.message}` : value;
  };
  const { apply } = Reflect;
  const { slice } = String.prototype;
  const write = (value: unknown): string => {
    try {
      if (typeof value === "string") return value;
      if (typeof value === "function") return "[function]";
      if (value instanceof OwnError) return `${value.name}: ${value.message}`;
      return stringify(value, keep) ?? toText(value);
    } catch {
      return unshown;
    }
  };
  return (value) => {
    const text = write(value);
    return text.length <= most ? text : apply(slice, text, [0, most + 1]);
  };
}
