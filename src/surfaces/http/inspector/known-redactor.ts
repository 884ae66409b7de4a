import type { Config } from "../../../config/config.ts";
import { createRedactor, type Redactor, secretsOf } from "../../../runtime/audit/redact-value.ts";

/**
 * Takes out what any of these configurations says is secret, or said when it was last asked: what was noted under an
 * earlier one is still shown. The same one as long as it learns nothing new, so that what was cleaned by it stays clean.
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
