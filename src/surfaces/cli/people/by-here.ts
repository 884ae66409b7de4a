import { userInfo } from "node:os";

/** Who acts, for the log. */
export function byHere(): string {
  try {
    return `${userInfo().username}, on the command line`;
  } catch {
    return "the command line";
  }
}
