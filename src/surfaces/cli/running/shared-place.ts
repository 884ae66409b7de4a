import { createHash } from "node:crypto";
import type { Config } from "../../../config/config.ts";
import { OWN_STORE } from "../../../config/shape/store-shape.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { SharedPlace } from "../../../runtime/crib/shared-approvals.ts";
import { peopleScope } from "../../../runtime/people/people-scope.ts";
import { createLateStore } from "../../../runtime/store/late-store.ts";
import { openStoreAt } from "../../../runtime/store/open-store.ts";
import { describeSelf } from "../../../runtime/store/this-machine.ts";
import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import type { CommandInput } from "../command-line/command.ts";
import { settingPlaces } from "./work-place.ts";

/**
 * Where the sessions of clients are kept. Machines whose clients come with the same token, or to the same public address to log in, are one gateway. One that is
 * away for now is used once it is back; one that can never be used keeps us from starting, unless nobody asked for it.
 */
export async function openSharedPlace(
  { io, log }: Pick<CommandInput, "io" | "log">,
  config: Config,
  { workspace, token }: { readonly workspace: string; readonly token: string },
): Promise<SharedPlace | null> {
  const { url } = config.store;
  const machine = describeSelf();
  const places = { ...settingPlaces(io), workspace };
  const onNotice = (notice: Parameters<typeof log.notices>[0][number]): void => log.notices([notice]);
  const onReach = (error: unknown): void =>
    error === null
      ? io.err("toolcrib: the store is back\n")
      : warn("what needs the store is refused until it is back", error);
  const open = () => openStoreAt(url.value, places, { machine, onNotice, onReach });
  const store = createLateStore(machine.id, open, SYSTEM_CLOCK);
  const warn = (text: string, error: unknown): void => {
    const why = error instanceof Error ? error.message : String(error);
    onNotice({ level: "warning", code: "store.not-used", text: `${text}: ${why}`, names: [], origin: url.origin });
  };
  try {
    await store.machines();
  } catch (error) {
    const code = isToolcribError(error) ? error.code : null;
    // People and what they were given cannot be anywhere else.
    if (url.origin.kind === "default" && config.gateway.auth === null) {
      // Nobody asked for one, so that it goes on without; what is wrong with one that could be there is worth a word.
      if (code !== "store.not-installed") warn("sessions of clients are not kept", error);
      await store.close();
      return null;
    }
    if (code !== "store.unavailable") throw error;
    warn("what needs the store is refused until it is back", error);
  }
  const scope = peopleScope(config) ?? createHash("sha256").update(token).digest("base64url");
  return { store, scope, isOwn: url.value.startsWith(OWN_STORE) };
}
