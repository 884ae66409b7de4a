import type { Config } from "../../../config/config.ts";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { bodiesOf } from "../../../runtime/audit/audit-scope.ts";
import type { Logins } from "../../../runtime/credentials/open-logins.ts";
import type { Upstream } from "../../../runtime/credentials/open-upstream.ts";
import type { SharedPlace } from "../../../runtime/crib/shared-approvals.ts";
import type { CommandInput } from "../command-line/command.ts";
import { settingPlaces } from "../running/work-place.ts";

/** What people have at servers, and how they come to have it. */
export interface UpstreamFront extends Upstream {
  readonly logins: Logins;
}

/** What people have at servers; null where nobody logs in. Throws where a key is missing with which something is sealed. */
export async function openUpstreamOf(
  { io, log }: Pick<CommandInput, "io" | "log">,
  shared: SharedPlace | null,
  config: () => Config,
): Promise<UpstreamFront | null> {
  const { auth, publicUrl } = config().gateway;
  if (auth === null || publicUrl === null || shared === null) return null;
  const { openUpstream } = await import("../../../runtime/credentials/open-upstream.ts");
  const { openLogins } = await import("../../../runtime/credentials/open-logins.ts");
  const upstream = await openUpstream({
    ...{ publicUrl: publicUrl.value, place: shared, folder: stateFolder(settingPlaces(io)), onError: log.failed },
    auth: () => config().gateway.auth,
    sealsElsewhere: () => bodiesKeptFor(config()),
    keepsTokens: () => [...config().servers.values()].some(({ credentials }) => credentials?.kind === "exchange"),
  });
  const logins = openLogins({ place: shared, publicUrl: publicUrl.value, upstream });
  return {
    ...{ ...upstream, logins },
    async close() {
      logins.close();
      await upstream.close();
    },
  };
}

const DAY = 86_400_000;

/** Milliseconds for which bodies of calls stay in the log, which the same keys seal. */
function bodiesKeptFor({ audit, gateway }: Config): number | null {
  if (bodiesOf({ audit, gateway }) !== "sealed") return 0;
  return audit.hold.length > 0 ? null : (audit.retention.value.bodies + 1) * DAY;
}
