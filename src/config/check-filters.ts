import { formatOrigin } from "../core/codes/origin.ts";
import { ToolcribError } from "../core/codes/toolcrib-error.ts";
import { findByPattern, loadPatternEngine } from "../core/filters/own-pattern.ts";
import type { Config } from "./config.ts";

/** Throws a pattern that cannot be used, with its place: a filter that looks for nothing would let everything pass. */
export async function checkFilters({ filters, gateway }: Pick<Config, "filters" | "gateway">): Promise<void> {
  const all = [...filters, ...[...gateway.profiles.values()].flatMap((profile) => profile.filters)];
  const own = all.filter(({ pattern }) => pattern !== null);
  if (own.length === 0) return;
  await loadPatternEngine();
  for (const { name, pattern, origin } of own) {
    try {
      findByPattern(name ?? "", pattern ?? "");
    } catch {
      const text = `${formatOrigin(origin)}: the pattern of the filter ${JSON.stringify(name)} cannot be read; look-around and back-references are not supported`;
      throw new ToolcribError("config.invalid", text, { origin, names: [name ?? ""] });
    }
  }
}
