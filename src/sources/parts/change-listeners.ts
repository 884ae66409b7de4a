/** Who wants to know that a source changed. */
export interface ChangeListeners {
  /** Returns how to stop. The same function added twice is told twice. */
  add(listener: () => void): () => void;
  tell(): void;
  clear(): void;
}

export function createChangeListeners(): ChangeListeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tell() {
      for (const listener of [...listeners]) listener();
    },
    clear: () => listeners.clear(),
  };
}
