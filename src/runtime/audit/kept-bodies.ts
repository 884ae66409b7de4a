import type { Config } from "../../config/config.ts";
import { stateFolder } from "../../config/layers/state-folder.ts";
import { defaultOrigin } from "../../core/codes/origin.ts";
import type { KeyedSealer } from "../people/sealer.ts";
import { type AuditPlace, findAuditWorkspace } from "./audit-path.ts";
import { auditScope, bodiesOf } from "./audit-scope.ts";
import type { BodyBox } from "./body-box.ts";

/** For a log of one's own, outside a gateway: nothing where bodies are in their rows. */
export async function openOwnBodies(
  config: Config,
  place: AuditPlace & { readonly cwd: string },
  path: () => Promise<string>,
): Promise<{ readonly bodies?: BodyBox | "none" }> {
  if (bodiesOf(config) === "rows") return {};
  const scope = auditScope(config, await findAuditWorkspace(place));
  const bodies = await openBodies({ config, scope, path: await path(), folder: stateFolder(place) });
  return bodies === undefined ? {} : { bodies };
}

interface BodySettings {
  readonly config: Pick<Config, "audit" | "gateway">;
  readonly scope: string;
  /** The log. */
  readonly path: string;
  /** The person's state folder. */
  readonly folder: string;
}

/** Where bodies of calls go, for a log; undefined: into their rows. */
export async function openBodies({ config, scope, path, folder }: BodySettings): Promise<BodyBox | "none" | undefined> {
  const kept = bodiesOf(config);
  if (kept === "rows") return undefined;
  if (kept === "none") return "none";
  const [{ createBodyBox }, { spoolFolder }, sealer] = await Promise.all([
    import("./body-box.ts"),
    import("./body-spool.ts"),
    loadAuditSealer(config, folder),
  ]);
  return createBodyBox({ folder: spoolFolder(path), sealer, scope });
}

/** The keys that seal what is stored about people seal bodies too. */
export async function loadAuditSealer({ gateway }: Pick<Config, "gateway">, folder: string): Promise<KeyedSealer> {
  const { loadSealer } = await import("../people/sealing-keys.ts");
  const { keys, origin } = gateway.auth ?? { keys: null, origin: defaultOrigin };
  const sealer = await loadSealer({ keys: keys ?? [], origin, folder });
  if (keys !== null && keys.length > 0) return sealer;
  const { followOwnKeys } = await import("../people/live-sealer.ts");
  return followOwnKeys(sealer, folder);
}
