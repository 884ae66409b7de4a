import { describeLimit, type Lack } from "../../core/limits/describe-limit.ts";
import type { Budget } from "../../core/limits/usage-limit.ts";

/** For the model that called: which limit, and what it can do about it. */
export function describeLack({ limit }: Pick<Budget, "limit">, lack: Lack, now: number): string {
  const which = `the limit of ${describeLimit(limit)}`;
  switch (lack.kind) {
    case "used": {
      const end = `${new Date(lack.until).toISOString().slice(0, 19)}Z`;
      return `${which} is reached. It begins again at ${end}, in ${describeWait(lack.until - now)}; do not repeat the call before that`;
    }
    case "elsewhere":
      return `${which} is nearly reached, and what is left is set aside for calls elsewhere; try again in ${describeWait(lack.until - now)}`;
    case "running":
      return `${which} is reached. Wait for a call that is running to end, then make this one again`;
    case "unknown":
      return `${which} cannot be checked at the moment; try again later`;
  }
}

function describeWait(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.ceil(seconds / 3600)} hours` : `${Math.ceil(seconds / 86_400)} days`;
}
