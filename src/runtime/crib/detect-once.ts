import type { detectSandbox } from "../../system/sandbox/detect-sandbox.ts";

/** What the machine offers is the same for all clients. */
export function detectOnce(detect: typeof detectSandbox): typeof detectSandbox {
  const known = new Map<string, ReturnType<typeof detectSandbox>>();
  return (options) => {
    const key = JSON.stringify(options);
    const found = known.get(key) ?? detect(options);
    known.set(key, found);
    return found;
  };
}
