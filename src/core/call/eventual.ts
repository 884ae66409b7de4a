/**
 * What may be known at once. Most stages of most calls have nothing to wait for, and to await what is already there
 * costs more than the stage itself.
 */
export type Eventual<T> = T | Promise<T>;

/** Goes on with the value: now if it is known, else when it is. */
export function whenKnown<T, U>(value: Eventual<T>, next: (value: T) => Eventual<U>): Eventual<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
