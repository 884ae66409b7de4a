import type { Origin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { checkShape, throwProblems } from "./check-shape.ts";
import type { Config } from "./config.ts";
import { type ConfigNode, listNode, mapNode, type Scalar, scalarNode } from "./config-node.ts";
import { fileShape } from "./file-shape.ts";
import { findFiles } from "./find-files.ts";
import type { ConfigInput } from "./load-config.ts";
import { mergeLayers } from "./merge-layers.ts";
import { type Layer, readLayers, settleAliases } from "./read-layers.ts";
import { fileReaders } from "./readers.ts";
import { checkRuleExamples } from "./rule-entries.ts";
import { toConfig, toLimits } from "./to-config.ts";
import { withoutShadowingToolsets } from "./toolset-shadows.ts";

/**
 * The configuration of a program that brings its own options: the same keys and checks as in a file, literal values,
 * and nothing of anybody's files but managed policy, which holds here too.
 */
export async function loadOptions(
  options: Readonly<Record<string, unknown>>,
  call: string,
  input: Omit<ConfigInput, "flags">,
): Promise<Config> {
  const { cwd, home, env, readers = fileReaders, systemPolicy = "/etc/toolcrib/policy.yaml" } = input;
  const found = await findFiles({ cwd, home, env, named: null, systemPolicy }, readers);
  const policies = found.files.filter(({ layer }) => layer === "policy");
  const guarded = withoutShadowingToolsets([...(await readLayers(policies, readers)), toLayer(options, call)], true);
  const { root: written, limits } = mergeLayers(guarded.layers);
  const notices: Notice[] = [...guarded.notices];
  await checkRuleExamples(written, { workspace: found.workspace, home }, input.loadCommandReader);
  const config = toConfig(written, { env: null, home, baseOf: () => cwd, notices });
  return {
    ...config,
    limits: toLimits(limits),
    trust: { workspace: found.workspace, state: "nothing", items: [] },
    lock: null,
    files: policies,
    notices,
    written,
  };
}

function toLayer(options: Readonly<Record<string, unknown>>, call: string): Layer {
  const root = toNode(options, call, "");
  throwProblems(checkShape(root, fileShape));
  return { kind: "flags", source: null, root: root.kind === "map" ? settleAliases(root) : mapNode([], root.origin) };
}

/** Absent and undefined are the same; whatever has no place in a configuration file is left for the check to refuse. */
function toNode(value: unknown, call: string, path: string): ConfigNode {
  const origin: Origin = { kind: "call", call: path === "" ? call : `${call} ${path}` };
  if (Array.isArray(value))
    return listNode(
      value.map((item, at) => toNode(item, call, `${path}[${at}]`)),
      origin,
    );
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return mapNode(
      entries.map(([key, member]) => [key, toNode(member, call, path === "" ? key : `${path}.${key}`)]),
      origin,
    );
  }
  return scalarNode(isScalar(value) ? value : String(value), origin);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
