import type { Config } from "../../../config/config.ts";
import type { Io } from "../terminal/io.ts";

/** Where a client works, and whose settings count there. */
export type HookPlace = Pick<Io, "cwd" | "env">;

/** What a hook judges by in the folder that a client works in. */
export interface HookPolicy {
  readonly config: Config;
  readonly workspace: string;
}

export type LoadPolicy = (place: HookPlace) => Promise<HookPolicy>;
