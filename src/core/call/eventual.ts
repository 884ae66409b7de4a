/**
 * A value that may be available already. Most stages of most calls have nothing to wait for, and awaiting an available
 * value costs more than the stage itself.
 */
export type Eventual<T> = T | Promise<T>;

/** Work that may have to wait. It yields each promise it waits for, so it reads like synchronous code. */
export type Stage<T> = Generator<Promise<unknown>, T, unknown>;

/** For use inside a stage (`yield* known(…)`): the value, awaited only if it is a promise. */
export function known<T>(value: Eventual<T>): Iterable<Promise<unknown>, T, unknown> {
  return value instanceof Promise ? wait(value) : new Known(value);
}

function* wait<T>(value: Promise<T>): Stage<T> {
  return (yield value) as T; // `runStage` sends back what the promise resolved to.
}

/** An iterator that is finished from the start and is its own result: far cheaper than an empty generator. */
class Known<T> implements IterableIterator<never, T, unknown>, IteratorReturnResult<T> {
  readonly done = true;
  readonly value: T;

  constructor(value: T) {
    this.value = value;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): this {
    return this;
  }
}

/** Runs a stage: synchronously as far as possible, then again whenever the promise it yielded settles. */
export function runStage<T>(stage: Stage<T>): Eventual<T> {
  const { done, value } = stage.next();
  return done === true ? value : goOn(stage, value);
}

function goOn<T>(stage: Stage<T>, first: Promise<unknown>): Promise<T> {
  return new Promise((resolve, reject) => {
    const take = ({ done, value }: IteratorResult<Promise<unknown>, T>): void => {
      if (done === true) resolve(value);
      else value.then(next, fail);
    };
    const next = (value: unknown): void => {
      try {
        take(stage.next(value));
      } catch (error) {
        reject(error);
      }
    };
    const fail = (reason: unknown): void => {
      try {
        take(stage.throw(reason));
      } catch (error) {
        reject(error);
      }
    };
    first.then(next, fail);
  });
}
