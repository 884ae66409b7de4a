import { StartFailure } from "../../../sources/parts/start-failure.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";

/**
 * What a server gets that is started for one person; a StartFailure says what they lack there. `publicUrl`: where their page
 * is; null if nowhere.
 */
export async function prepareFor(
  { proof, state }: Pick<UpstreamIdentity, "proof" | "state">,
  publicUrl: string | null,
): Promise<ReadonlyMap<string, string>> {
  const now = await state();
  const variables = now.kind === "ready" && proof.kind === "variables" ? await proof.read() : NOTHING;
  if (now.kind === "ready" && variables !== null) return variables;
  const why = `cannot be used for this person, because ${now.kind === "ready" ? GONE : now.reason}`;
  if (now.kind === "unavailable") throw new StartFailure(why, { isUnadmitted: true });
  const what = now.kind === "needs-login" ? "Log in there" : "Enter a key for it";
  const page = publicUrl === null ? "" : ` (${publicUrl}/me)`;
  throw new StartFailure(why, { needsAuth: true, next: `${what}: on your page of the gateway${page}.` });
}

const NOTHING: ReadonlyMap<string, string> = new Map();
const GONE = "their key was taken away just now";
