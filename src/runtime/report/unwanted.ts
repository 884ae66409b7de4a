import type { ServerConfig } from "../../config/config.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Source } from "../../sources/source.ts";

/** Which lines of an API's entry filter an operation out, and what to change; null if none does. */
export function describeUnwanted(
  tool: string,
  { name, unwanted }: { readonly name: string; readonly unwanted: Source["unwanted"] },
  { transport }: Pick<ServerConfig, "transport">,
): string | null {
  const left = unwanted?.get(tool);
  if (left === undefined || transport.type !== "openapi") return null;
  const entry = `openapi.${name}`;
  const why: string[] = [];
  const fixes: string[] = [];
  if (!left.isIncluded && transport.include !== null) {
    const origin = formatOrigin(transport.include.origin);
    why.push(`${entry}.include does not name it (${origin})`);
    fixes.push(`add ${JSON.stringify(tool)} to ${entry}.include`);
  }
  for (const pattern of left.excludedBy) {
    const { value, origin } = transport.exclude;
    const place = formatOrigin(value.find((one) => one.value === pattern)?.origin ?? origin);
    why.push(`${entry}.exclude names it by ${JSON.stringify(pattern)} (${place})`);
    fixes.push(`remove ${JSON.stringify(pattern)} from ${entry}.exclude`);
  }
  return `${why.join(", and ")}. To see it: ${fixes.join("; and ")}`;
}
