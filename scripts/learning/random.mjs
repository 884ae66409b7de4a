/** The same numbers from 0 to 1 for the same seed. @param {number} seed @returns {() => number} */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
