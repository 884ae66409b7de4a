import type { Origin } from "../../core/codes/origin.ts";
import { errorAt } from "../../core/codes/toolcrib-error.ts";
import { type ConfigNode, type MapNode, mapNode, toNode } from "../../core/shape/node.ts";
import { joinProblems, type Problems, problem, report, throwProblems } from "../../core/shape/problems.ts";
import { checkShape } from "../../core/shape/read.ts";
import { fieldOf } from "../../core/shape/shape.ts";
import { fileShape } from "../shape/file-shape.ts";
import type { FoundFile, LayerKind } from "./find-files.ts";
import { parseDocument } from "./parse-document.ts";
import { NotAFile, type Readers } from "./readers.ts";

/** One side's settings, checked and with synonyms resolved. */
export interface Layer {
  readonly kind: LayerKind;
  readonly root: MapNode;
  readonly source: FoundFile | null;
  /** The project folder that it applies to, if not that of its file; the workspace if neither is known. */
  readonly folder?: string;
  /** Hash of everything that it belongs to: nothing in it is trusted unless that is unchanged. */
  readonly seal?: string;
}

/** What the command line or a call sets; the same keys as in a file, in short. */
export interface Flags {
  readonly config?: string | undefined;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Reads and checks every file; mistakes of all files come as one error. */
export async function readLayers(files: readonly FoundFile[], readers: Readers): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  const problems: Problems[] = [];
  for (const source of files) {
    const root = await readRoot(source, readers);
    const wrong = checkFile(root, source);
    problems.push(wrong);
    if (wrong.count === 0 && root.kind === "map")
      layers.push({ kind: source.layer, root: settleAliases(root), source });
  }
  throwProblems(joinProblems(problems));
  return layers;
}

export function flagLayer({ agent, model, mode, include, exclude }: Flags): Layer {
  const said = [
    ["agent", "--agent", agent],
    ["model", "--model", model],
    ["permissions", "--mode", mode === undefined ? undefined : { mode }],
    ["includeTools", "--include", include],
    ["excludeTools", "--exclude", exclude],
  ] as const;
  const entries = said.flatMap(([key, flag, value]): [string, ConfigNode][] =>
    value === undefined ? [] : [[key, toNode(value, { kind: "flag", flag })]],
  );
  const root = mapNode(entries, { kind: "flag", flag: "command line" });
  throwProblems(checkShape(root, fileShape));
  return { kind: "flags", root, source: null };
}

async function readRoot(source: FoundFile, readers: Readers): Promise<ConfigNode> {
  const origin: Origin = { kind: "file", file: source.file, line: null };
  let content: string | null;
  try {
    content = await readers.readText(source.path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const why = error instanceof NotAFile ? `: ${error.message}` : ` (${code})`;
    throw errorAt("config.not-found", origin, `cannot be read${why}`, [source.file]);
  }
  if (content === null) throw errorAt("config.not-found", origin, "there is no such file", [source.file]);
  return (await parseDocument(content, source.file)) ?? mapNode([], origin);
}

function checkFile(root: ConfigNode, { layer }: FoundFile): Problems {
  const problems = checkShape(root, fileShape);
  if (root.kind !== "map" || layer === "policy") return problems;
  for (const [key, { origin }] of root.entries) {
    if (fieldOf(fileShape, key)?.policyOnly !== true) continue;
    report(problems, problem, origin, key, `"${key}" belongs in the managed policy file; this is not one`);
  }
  return problems;
}

export function settleAliases(root: MapNode): MapNode {
  const entries = [...root.entries].filter(([key]) => key !== "$schema");
  return mapNode(
    entries.map(([key, node]) => {
      const alias = fieldOf(fileShape, key)?.aliasOf;
      return alias === undefined ? [key, node] : [alias, node.kind === "list" ? { ...node, called: key } : node];
    }),
    root.origin,
  );
}
