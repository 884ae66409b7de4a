/**
 * Maps each item of a stream; an error thrown by `change` ends the stream. Subscribes at once, while a generator would
 * do so only at the first request, and makes one promise per item where a generator makes several.
 */
export function mapEach<From, To>(
  items: AsyncIterable<From> | Iterable<From | PromiseLike<From>>,
  change: (item: From) => To,
): AsyncIterableIterator<To> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : awaitEach(items[Symbol.iterator]());
  const take = (step: IteratorResult<From>): IteratorResult<To> | Promise<never> => {
    if (step.done === true) return step;
    try {
      return { done: false, value: change(step.value) };
    } catch (error) {
      return giveUp(source, error);
    }
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => Promise.resolve(source.next()).then(take),
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}

function awaitEach<Item>(source: Iterator<Item | PromiseLike<Item>>): Pick<AsyncIterator<Item>, "next" | "return"> {
  return {
    async next() {
      const { done = false, value } = source.next();
      return { done, value: await value };
    },
    async return() {
      source.return?.();
      return { done: true, value: undefined };
    },
  };
}

async function giveUp(source: Pick<AsyncIterator<unknown>, "return">, error: unknown): Promise<never> {
  try {
    await source.return?.();
  } catch {
    // The reason for giving up the stream matters more than an error in closing it.
  }
  throw error;
}
