import type { Logger } from "../../../system/logger.ts";
import type { Timing } from "../../../system/surroundings.ts";

/** Where a session works, and what it takes from its process. */
export interface SessionPlace {
  readonly id: string;
  readonly timing: Timing;
  readonly logger: Logger;
  readonly version: string;
  /** The folder in which processes start. */
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; null where file tools have nothing to work on, and nothing is kept for a project. */
  readonly workspace: string | null;
}
