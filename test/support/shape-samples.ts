import type { RecordShape, Shape } from "../../src/core/shape/shape.ts";

type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

/** A word that stands nowhere but in the file under test. */
export const MARK = "zzmark";

const NAMES = ["view", "github/*", "deploy", MARK];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  toolsets: ["view", "review", "github", "Read", "deploy", "toolset:review", MARK],
  toolOverrides: ["bash", "github/get_issue"],
  models: ["*"],
  features: ["memory", "beta", "own"],
};

/** Documents that together say everything a shape knows, each value in several ways. */
export function documentsOf(shape: RecordShape): readonly Readonly<Record<string, Plain>>[] {
  return Object.entries(shape.fields).flatMap(([key, field]) =>
    field.policyOnly === true ? [] : samplesOf(field, key).map((value) => ({ [key]: value })),
  );
}

function samplesOf(shape: Shape, key: string): readonly Plain[] {
  const values = ofKind(shape, key);
  return shape.nullable === true ? [null, ...values] : values;
}

function ofKind(shape: Shape, key: string): readonly Plain[] {
  switch (shape.kind) {
    case "text":
      if (shape.means === "rule") return ["view", "Bash(rm:*)", "github/*"];
      return shape.pattern === undefined ? [...NAMES, "own"] : ["./t.js:t"];
    case "number":
      return [Math.max(shape.least, 1), 9_999];
    case "flag":
      return [true, false];
    case "choice":
      return shape.values;
    case "list": {
      const items = samplesOf(shape.of, key);
      return shape.of.kind === "text" ? [[], items, items.slice(0, 1)] : [[], ...items.map((item) => [item])];
    }
    case "map":
      return (KEYS[key] ?? ["github"]).flatMap((name) => samplesOf(shape.of, key).map((value) => ({ [name]: value })));
    case "record":
      return recordsOf(shape);
    case "either":
      return shape.options.flatMap((option) => samplesOf(option, key));
    case "any":
      return ["x"];
  }
}

function recordsOf(shape: RecordShape): readonly Plain[] {
  const fields = Object.entries(shape.fields);
  const chosen = new Set(shape.oneOf?.slice(0, 1));
  const needed = fields.flatMap(([key, field]): [string, Plain][] => {
    const [value] = field.required === true || chosen.has(key) ? samplesOf(field, key) : [];
    return value === undefined ? [] : [[key, value]];
  });
  // Of what waits as a whole, one value of each field will do.
  const most = shape.trust === undefined || "keeps" in shape.trust ? undefined : 1;
  return fields.flatMap(([key, field]) =>
    samplesOf(field, key)
      .slice(0, most)
      .flatMap((value) => {
        const others = needed.filter(([name]) => shape.oneOf?.includes(key) !== true || !shape.oneOf.includes(name));
        return [Object.fromEntries([...others, [key, value]])];
      }),
  );
}
