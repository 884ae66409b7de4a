/**
 * What may be known at once. Most stages of most calls have nothing to wait for, and to await what is already there
 * costs more than the stage itself.
 */
export type Eventual<T> = T | Promise<T>;

/** Work that may have to wait: it yields what it waits for, and so reads like work that waits for nothing. */
export type Stage<T> = Generator<Promise<unknown>, T, unknown>;

/** For use inside a stage (`yield* known(…)`): the value, waited for only where it is not there yet. */
export function known<T>(value: Eventual<T>): Iterable<Promise<unknown>, T, unknown> {
  return value instanceof Promise ? wait(value) : new Known(value);
}

function* wait<T>(value: Promise<T>): Stage<T> {
  return (yield value) as T; // `runStage` sends back what the promise came to.
}

/** An iterator that is at its end, and its own last step: far cheaper than a generator that yields nothing. */
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

/** The one runner of stages: goes as far as it can at once, and on whenever what the stage waits for is there. */
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
