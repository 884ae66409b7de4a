import { findHostFiles } from "../system/host-programs/host-files.ts";
import type { HostProgram } from "../system/host-programs/host-program.ts";
import type { Config } from "./config.ts";
import { needsTrust, toTrustName, whyUntrusted } from "./trust/host-trust.ts";

/** Decides before each start of a configured program. */
export interface HostGate {
  /** Why it must not be started now, as a clause after "because"; null if it may be. */
  refuses(program: HostProgram): string | null;
  /** Changes when its files are trusted again. */
  standing(program: HostProgram): unknown;
}

interface GatePlace {
  readonly workspace: string;
  readonly home: string;
}

export function createHostGate(
  { trust, permissions, hostFiles, files }: Pick<Config, "trust" | "permissions" | "hostFiles" | "files">,
  { workspace, home }: GatePlace,
): HostGate {
  const added = permissions.additionalDirectories.map(({ value }) => value);
  const place = { workspace: trust.workspace, roots: [trust.workspace, workspace, ...added], home };
  return {
    refuses: (program) => (needsTrust(program, files) ? whyUntrusted(program, hostFiles, place) : null),
    standing: (program) =>
      needsTrust(program, files)
        ? findHostFiles(program, place).flatMap(({ path }) => hostFiles.get(toTrustName(path, place)) ?? [])
        : [],
  };
}

/** What to do about it. */
export const REVIEW = "Review and allow it with: toolcrib trust";
