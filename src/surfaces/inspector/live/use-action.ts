import { useState } from "preact/hooks";

/** Something that a person has done here. */
export interface PageAction {
  readonly isBusy: boolean;
  /** What went wrong the last time; null when nothing did. */
  readonly failure: string | null;
  /** Does it. What `stays` busy afterwards goes away by itself once it is done. */
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
