import { type Clock, SYSTEM_CLOCK, type Timer } from "./clock.ts";

const SLICES = 10;

/**
 * What the work comes to, or the error of `late` after so many milliseconds. Of a time in which this process stood still,
 * as on a machine with too much to do, only a tenth of the limit counts: what came meanwhile has not been read yet.
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
