/** Reserved words of JavaScript, and names that the sandbox defines. */
const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public return " +
    "static super switch this throw true try typeof var void while with yield async of undefined NaN Infinity globalThis " +
    "tools console then constructor prototype toJSON " +
    "Array ArrayBuffer BigInt Boolean DataView Date Error Function Intl Iterator JSON Map Math Number Object Promise Proxy " +
    "Reflect RegExp Set String Symbol TypeError WeakMap WeakSet"
  ).split(" "),
);

const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Whether it can follow a dot, or be a key without quotes. */
export function isIdentifier(name: string): boolean {
  return PLAIN.test(name);
}

/** A valid JavaScript name that is not taken. */
export function toIdentifier(name: string, taken: { has(name: string): boolean }): string {
  const clean = name.replace(/[^A-Za-z0-9_$]+/g, "_").slice(0, 120);
  const led = /^[0-9]/.test(clean) || clean === "" ? `_${clean}` : clean;
  const free = RESERVED.has(led) ? `${led}_` : led;
  let made = free;
  for (let count = 2; taken.has(made); count++) made = `${free}_${count}`;
  return made;
}
