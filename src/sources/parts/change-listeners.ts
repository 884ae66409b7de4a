export interface ChangeListeners<T = void> {
  /** Returns how to unsubscribe. A function that is added twice is called twice. */
  add(listener: (told: T) => void): () => void;
  tell(told: T): void;
  clear(): void;
}

export function createChangeListeners<T = void>(): ChangeListeners<T> {
  const listeners = new Set<(told: T) => void>();
  return {
    add(listener) {
      const own = (told: T) => listener(told);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tell(told) {
      for (const listener of [...listeners]) listener(told);
    },
    clear: () => listeners.clear(),
  };
}
