import { join } from "node:path";
import { userFolder } from "../../../config/layers/find-files.ts";
import type { CommandInput } from "../command-line/command.ts";
import { settingPlaces } from "../running/work-place.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { readPolicy } from "./hook-policy.ts";

/** How many permission rules count in this folder; null where the configuration cannot be read, which guards say themselves. */
export async function countRules(input: CommandInput): Promise<number | null> {
  try {
    const { deny, ask, allow } = (await readPolicy(input)).policy.config.permissions;
    return deny.length + ask.length + allow.length;
  } catch {
    return null;
  }
}

/** A guard without rules holds, and refuses nothing. */
export function describeNoRules(rules: number | null, { io }: CommandInput): readonly string[] {
  if (rules !== 0) return [];
  const file = shownFile(join(userFolder(settingPlaces(io)), "config.yaml"), io);
  return [
    `No permission rule counts in this folder, so calls go on as without Toolcrib. Rules for every project go into ${file}; "toolcrib init --rules" begins with those of your clients.`,
  ];
}
