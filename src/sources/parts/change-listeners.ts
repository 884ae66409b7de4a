export interface ChangeListeners<T = void> {
  /** Returns how to unsubscribe. A function that is added twice is called twice. */
  add(listener: (event: T) => void): () => void;
  emit(event: T): void;
  clear(): void;
}

export function createChangeListeners<T = void>(): ChangeListeners<T> {
  const listeners = new Set<(event: T) => void>();
  return {
    add(listener) {
      const own = (event: T) => listener(event);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit(event) {
      for (const listener of [...listeners]) listener(event);
    },
    clear: () => listeners.clear(),
  };
}
