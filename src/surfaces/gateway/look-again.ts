import type { Front } from "./front.ts";

/** Looks again once servers that are still starting have come: one of them may have what nobody has. */
export async function lookAgain<T>({ view }: Front, look: () => Promise<T>): Promise<T> {
  await view.connected("all");
  return look();
}
