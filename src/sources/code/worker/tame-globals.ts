/**
 * Runs inside the sandbox before the code: time is fixed, random numbers are seeded, and everything is removed that
 * could block the thread or tell the code about it. Only the text of this function gets there, so it uses nothing from
 * outside itself.
 */
export function tameGlobals(now: number, seed: number): void {
  const { defineProperty, deleteProperty, construct } = Reflect;
  const RealDate = Date;
  function SetDate(this: unknown, ...given: readonly unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now).toString();
    return construct(RealDate, given.length === 0 ? [now] : given, new.target);
  }
  SetDate.prototype = RealDate.prototype;
  SetDate.now = () => now;
  SetDate.parse = RealDate.parse;
  SetDate.UTC = RealDate.UTC;
  defineProperty(RealDate.prototype, "constructor", { value: SetDate });
  defineProperty(globalThis, "Date", { value: SetDate, writable: true, configurable: true });
  let state = seed | 1;
  Math.random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
  for (const name of ["Atomics", "SharedArrayBuffer", "performance", "WeakRef", "FinalizationRegistry"])
    deleteProperty(globalThis, name);
}
