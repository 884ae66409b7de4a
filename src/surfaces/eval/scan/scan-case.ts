import { isRecord } from "../../../core/shape/is-record.ts";
import { type EvalLine, invalid, stringIn } from "../read-lines.ts";

/** One line of a file of tool definitions. */
export interface ScanCase {
  readonly id: string;
  readonly label: string;
  readonly category: string;
  readonly server: string;
  readonly tool: Readonly<Record<string, unknown>>;
  /** The definition that was approved earlier. */
  readonly baseline: Readonly<Record<string, unknown>> | null;
  readonly existing: readonly ExistingTool[];
  readonly expect: string | null;
  readonly alsoOk: readonly string[];
}

/** A tool that was there before, of this server or another. */
interface ExistingTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
}

export function toScanCase(line: EvalLine): ScanCase {
  const { value, where } = line;
  const field = (name: string): unknown => Reflect.get(value, name);
  const tool = field("tool");
  if (!isRecord(tool)) throw invalid(`${where}: "tool" must be an object`);
  const baseline = field("baseline");
  const context = field("context");
  const expect = field("expect");
  const alsoOk = field("alsoOk");
  return {
    id: stringIn(line, "id"),
    label: stringIn(line, "label", ""),
    category: stringIn(line, "category", ""),
    server: stringIn(line, "server", "server"),
    tool: grow(tool, field("generate"), where),
    baseline: isRecord(baseline) ? baseline : null,
    existing: isRecord(context) && Array.isArray(context.existing) ? context.existing.flatMap(toExisting) : [],
    expect: isRecord(expect) && typeof expect.action === "string" ? expect.action : null,
    alsoOk: Array.isArray(alsoOk) ? alsoOk.filter((action) => typeof action === "string") : [],
  };
}

function toExisting(value: unknown): readonly ExistingTool[] {
  if (!isRecord(value) || typeof value.server !== "string" || typeof value.name !== "string") return [];
  const { server, name, description } = value;
  return [{ server, name, description: typeof description === "string" ? description : "" }];
}

/** The part that is too large for a file, made here: `nested-object`, `wide-object`, `long-description`, `wide-enum`. */
function grow(
  tool: Readonly<Record<string, unknown>>,
  generate: unknown,
  where: string,
): Readonly<Record<string, unknown>> {
  if (generate === undefined || generate === null) return tool;
  if (!isRecord(generate)) throw invalid(`${where}: "generate" must be an object`);
  const count = (...names: readonly string[]): number => {
    const found = names.map((name) => generate[name]).find((value) => typeof value === "number");
    if (typeof found === "number" && found >= 0 && found <= 5_000_000) return found;
    throw invalid(`${where}: "generate" needs ${names.map((name) => `"${name}"`).join(" or ")}`);
  };
  const withProperties = (properties: Readonly<Record<string, unknown>>) => ({
    ...tool,
    inputSchema: { type: "object", properties },
  });
  switch (generate.kind) {
    case "nested-object": {
      let schema: Readonly<Record<string, unknown>> = { type: "string" };
      for (let depth = count("depth"); depth > 0; depth--) schema = { type: "object", properties: { a: schema } };
      return { ...tool, inputSchema: schema };
    }
    case "wide-object": {
      const names = Array.from({ length: count("properties") }, (_none, at) => [`p${at}`, { type: "string" }] as const);
      return withProperties(Object.fromEntries(names));
    }
    case "long-description":
      return { ...tool, description: "x".repeat(count("bytes")) };
    case "wide-enum":
      return withProperties({
        a: { type: "string", enum: Array.from({ length: count("values") }, (_none, at) => `v${at}`) },
      });
    default:
      throw invalid(`${where}: "generate" has a kind that is not known`);
  }
}
