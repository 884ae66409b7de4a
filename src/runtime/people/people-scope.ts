import { createHash } from "node:crypto";
import type { Config } from "../../config/config.ts";

/** What machines that serve the same people share in a store; null where nobody logs in. */
export function peopleScope({ gateway: { auth, publicUrl } }: Pick<Config, "gateway">): string | null {
  if (auth === null || publicUrl === null) return null;
  return createHash("sha256").update(`people of ${publicUrl.value}`).digest("base64url");
}
