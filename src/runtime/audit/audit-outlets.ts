import type { Config } from "../../config/config.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { AuditLog } from "./audit-log.ts";
import { bodiesOf, isGathered } from "./audit-scope.ts";
import type { WriteOut } from "./export/lines-sinks.ts";
import type { GatheredPlace } from "./gather.ts";

/** Everywhere that rows of a log go besides its file. */
export interface AuditOutlets {
  /** For people and metrics. */
  readonly state: () => readonly OutletState[];
  /** After the log itself is closed: the last rows still go. */
  close(): Promise<void>;
}

interface OutletState {
  readonly name: string;
  readonly sent: number;
  readonly lost: number;
  readonly failing: string | null;
}

interface OutletOptions {
  readonly audit: AuditLog;
  readonly config: () => Config;
  /** Null where there is no store. */
  readonly place: GatheredPlace | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly write: WriteOut | null;
  readonly onError: (text: string, error: unknown) => void;
  readonly onRecovered: (text: string) => void;
}

/** Null if all of the log is its file; then nothing is loaded. */
export async function openOutlets(options: OutletOptions): Promise<AuditOutlets | null> {
  const { audit, config, place, env, version, write, ...reporting } = options;
  const { path } = audit;
  const now = config();
  const exports = now.audit.export;
  if (path === null) {
    if (exports.length > 0) throw refused("audit.export sends rows from the log of calls; leave out --no-audit");
    return null;
  }
  if (bodiesOf(now) === "sealed" && place === null)
    throw refused("audit.bodies: sealed keeps bodies of calls in the store, and there is none here; set store.url");
  const isKept = isGathered(now) && place !== null;
  if (!isKept && exports.length === 0) return null;
  const carriers = exports.length === 0 ? [] : await openAll();
  const kept = isKept ? await openKept(place) : null;
  const stopWaking = audit.onWritten(() => {
    for (const carrier of carriers) carrier.wake();
    kept?.gathering.wake();
  });
  return {
    state: () => carriers.map(({ name, sent, lost, failing }) => ({ name, sent, lost, failing })),
    async close() {
      stopWaking();
      kept?.stopExpiring();
      await Promise.all([...carriers.map((carrier) => carrier.close()), kept?.gathering.close()]);
    },
  };

  async function openAll() {
    if (write === null && exports.some(({ to }) => to === "stdout"))
      throw refused("audit.export has to: stdout, where clients are served on it; name a file");
    const { openExports } = await import("./export/open-exports.ts");
    return openExports({ exports, path: path ?? "", env, version, write: write ?? (async () => {}), ...reporting });
  }

  async function openKept(at: GatheredPlace) {
    const [{ openGathering }, { expireAuditHourly }] = await Promise.all([
      import("./gather.ts"),
      import("./retention.ts"),
    ]);
    const gathering = await openGathering({ path: path ?? "", place: at, ...reporting });
    const stopExpiring = expireAuditHourly({ place: at, settings: () => config().audit, note: audit.note });
    return { gathering, stopExpiring };
  }
}

function refused(text: string): ToolcribError {
  return new ToolcribError("up.refused", text);
}
