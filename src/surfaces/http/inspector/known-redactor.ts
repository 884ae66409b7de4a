import type { Config } from "../../../config/config.ts";
import { createRedactor, type Redactor, secretsOf } from "../../../runtime/audit/redact-value.ts";

/**
 * Removes what any of these configurations marks as secret, or did before: what was recorded under an earlier one is
 * still shown. Stays the same object until it learns something new, so that what it cleaned stays clean.
 */
export function createKnownRedactor(configs: () => Iterable<Config>): () => Redactor {
  const seen = new WeakSet<Config>();
  const secrets = new Set<string>();
  let redactor = createRedactor([]);
  return () => {
    const known = secrets.size;
    for (const config of configs()) {
      if (seen.has(config)) continue;
      seen.add(config);
      for (const secret of secretsOf(config)) secrets.add(secret);
    }
    if (secrets.size > known) redactor = createRedactor([...secrets]);
    return redactor;
  };
}
