import { type Clock, SYSTEM_CLOCK, type Timer } from "./clock.ts";

const SLICES = 10;

/**
 * The result of the work, or the error of `late` after so many milliseconds. A period in which this process stood
 * still, as on an overloaded machine, counts as a tenth of the limit at most: what arrived then has not been read yet.
 */
export function whileAwake<T>(
  work: Promise<T>,
  limit: number,
  late: () => Error,
  clock: Clock = SYSTEM_CLOCK,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let slices = 0;
    let timer: Timer = null;
    const wait = (): void => {
      timer = clock.setTimeout(() => {
        slices += 1;
        if (slices < SLICES) wait();
        else reject(late());
      }, limit / SLICES);
    };
    wait();
    work.finally(() => clock.clearTimeout(timer)).then(resolve, reject);
  });
}
