import { useState } from "preact/hooks";

/** An action of a person on the page. */
export interface PageAction {
  readonly isBusy: boolean;
  /** The last error; null if there was none. */
  readonly failure: string | null;
  /** Runs it. With `stays`, it remains busy until the item disappears by itself. */
  run(work: () => Promise<void>, stays?: "stays"): Promise<void>;
  reset(): void;
}

export function useAction(): PageAction {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  return {
    isBusy,
    failure,
    async run(work, stays) {
      setBusy(true);
      setFailure(null);
      try {
        await work();
        if (stays === undefined) setBusy(false);
      } catch (error) {
        setBusy(false);
        setFailure(error instanceof Error ? error.message : String(error));
      }
    },
    reset() {
      setBusy(false);
      setFailure(null);
    },
  };
}
