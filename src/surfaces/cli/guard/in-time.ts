import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { refuseHook } from "./answer-hook.ts";

/** Milliseconds, less than any client waits: one that gives up goes on as if nobody had said no. */
const PATIENCE = 8_000;

/** The answer, or a refusal where there is none in time. */
export async function inTime(decide: () => Promise<ClientAnswer>): Promise<ClientAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ClientAnswer>((resolve) => {
    timer = setTimeout(() => resolve(refuseHook(`there was no answer within ${PATIENCE / 1_000} s`)), PATIENCE);
  });
  try {
    return await Promise.race([decide(), late]);
  } catch (error) {
    return refuseHook(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}
