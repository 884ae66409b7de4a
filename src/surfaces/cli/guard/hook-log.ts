import type { Config } from "../../../config/config.ts";
import { type AuditLog, openAuditLog } from "../../../runtime/audit/audit-log.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import { openOwnBodies } from "../../../runtime/audit/kept-bodies.ts";
import { settingPlaces } from "../running/work-place.ts";
import type { HookPlace, HookPolicy } from "./hook-place.ts";

export type HookRow = Parameters<AuditLog["judged"]>[0];

/** Where the calls of clients are written. */
export interface HookLogs {
  /** Throws where a log is required and cannot be written. */
  write(place: HookPlace, policy: HookPolicy, call: HookRow): Promise<void>;
  close(): Promise<void>;
}

interface Open {
  readonly log: AuditLog;
  /** The configuration whose secrets it leaves out. */
  config: Config | null;
}

type OwnBodies = () => ReturnType<typeof openOwnBodies>;

/** One for each workspace, open until `close`: opening takes longer than judging. Unless a log is required, nobody waits for the disk. */
export function createHookLogs(): HookLogs {
  const logs = new Map<string, Promise<Open | null>>();
  const open = async (path: string, isRequired: boolean, bodies: OwnBodies): Promise<Open | null> => {
    try {
      const options = { path, isRequired, isHurried: !isRequired, onError: () => {}, ...(await bodies()) };
      return { log: await openAuditLog(options), config: null };
    } catch (error) {
      logs.delete(`${isRequired} ${path}`);
      if (isRequired) throw error;
      return null;
    }
  };
  return {
    async write(place, { config, workspace }, call) {
      const isRequired = config.policy.audit.value === "required";
      const path = auditPath(settingPlaces(place), workspace);
      const key = `${isRequired} ${path}`;
      const own = { cwd: workspace, ...settingPlaces(place) };
      const opening = logs.get(key) ?? open(path, isRequired, () => openOwnBodies(config, own, async () => path));
      logs.set(key, opening);
      const found = await opening;
      if (found === null) return;
      if (found.config !== config) found.log.hide(config);
      found.config = config;
      found.log.judged(call);
      if (isRequired && !(await found.log.writeStarted())) throw new Error(`${path} cannot be written`);
    },
    async close() {
      const open = await Promise.all([...logs.values()].map((opening) => opening.catch(() => null)));
      logs.clear();
      await Promise.all(open.map((found) => found?.log.close()));
    },
  };
}
