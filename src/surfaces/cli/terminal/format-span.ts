import { countText } from "./name-list.ts";

/** Seconds in the unit that a person would say them in: "10 minutes". */
export function formatSpan(seconds: number): string {
  if (seconds >= MINUTE && seconds % MINUTE === 0) return countText(seconds / MINUTE, "minute");
  return countText(seconds, "second");
}

const MINUTE = 60;
