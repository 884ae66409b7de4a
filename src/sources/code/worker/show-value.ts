/** Stands for a value that cannot be written. */
export const UNSHOWN = "[a value that JSON cannot hold]";

/** Makes the function that writes values for the model. Only its text gets into the sandbox. */
export function makeShow(unshown: string): (value: unknown) => string {
  const { stringify } = JSON;
  const { from } = Array;
  const [OwnError, OwnMap, OwnSet, toText] = [Error, Map, Set, String];
  const keep = (_key: string, value: unknown): unknown => {
    if (typeof value === "bigint") return toText(value);
    if (value instanceof OwnMap || value instanceof OwnSet) return from(value);
    return value instanceof OwnError ? `${value.name}: ${value.message}` : value;
  };
  return (value) => {
    try {
      if (typeof value === "string") return value;
      if (typeof value === "function") return "[function]";
      if (value instanceof OwnError) return `${value.name}: ${value.message}`;
      return stringify(value, keep) ?? toText(value);
    } catch {
      return unshown;
    }
  };
}
