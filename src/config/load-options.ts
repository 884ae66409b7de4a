import type { Origin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { errorAt, type ToolcribError } from "../core/codes/toolcrib-error.ts";
import { type ConfigNode, listNode, mapNode, type Scalar, scalarNode } from "../core/shape/node.ts";
import { throwProblems } from "../core/shape/problems.ts";
import { checkShape } from "../core/shape/read.ts";
import { checkFilters } from "./check-filters.ts";
import type { Config } from "./config.ts";
import { readEnvFiles } from "./layers/env-files.ts";
import { findFiles } from "./layers/find-files.ts";
import { mergeLayers } from "./layers/merge-layers.ts";
import { type Layer, readLayers, settleAliases } from "./layers/read-layers.ts";
import { fileReaders } from "./layers/readers.ts";
import { withoutShadowingToolsets } from "./layers/toolset-shadows.ts";
import type { ConfigInput } from "./load-config.ts";
import { checkRuleExamples } from "./rule-entries.ts";
import { fileShape } from "./shape/file-shape.ts";
import { readSettings, toLimits } from "./to-config.ts";

/**
 * The configuration of a program with its own options: the same keys and checks as in a file, literal values, and no
 * files except managed policy, which applies here too.
 */
export async function loadOptions(
  options: Readonly<Record<string, unknown>>,
  call: string,
  input: Omit<ConfigInput, "flags">,
  nameOf: (path: string) => string = (path) => path,
): Promise<Config> {
  const { cwd, home, env, readers = fileReaders, systemPolicy = "/etc/toolcrib/policy.yaml" } = input;
  const found = await findFiles({ cwd, home, env, named: null, systemPolicy }, readers);
  const policies = found.files.filter(({ layer }) => layer === "policy");
  const guarded = withoutShadowingToolsets([
    ...(await readLayers(policies, readers)),
    toLayer(options, { call, nameOf }),
  ]);
  const { root: written, limits } = mergeLayers(guarded.layers);
  const notices: Notice[] = [...guarded.notices];
  const { envFiles, notices: envNotices } = await readEnvFiles(written, found.workspace, readers);
  notices.push(...envNotices);
  const config = readSettings(written, { env: null, home, baseOf: () => cwd, notices, envFiles });
  await checkFilters(config);
  await checkRuleExamples(config, { workspace: found.workspace, home }, input.loadCommandReader);
  return {
    ...config,
    limits: toLimits(limits, "policy"),
    trust: { workspace: found.workspace, cwd, state: "nothing", items: [], gone: [], lost: [], guards: [] },
    extensionFiles: new Map(),
    skillPrograms: new Map(),
    hostFiles: new Map(),
    lock: null,
    files: policies,
    notices,
    written,
  };
}

/** Whose options they are, and the program's name for a path of a file. */
interface Place {
  readonly call: string;
  readonly nameOf: (path: string) => string;
}

function toLayer(options: Readonly<Record<string, unknown>>, place: Place): Layer {
  const root = toNode(options, place, "", 0);
  throwProblems(checkShape(root, fileShape));
  return { kind: "flags", source: null, root: root.kind === "map" ? settleAliases(root) : mapNode([], root.origin) };
}

/** Absent and undefined are the same; what no configuration file could express is refused. */
function toNode(value: unknown, place: Place, path: string, depth: number): ConfigNode {
  const { call, nameOf } = place;
  const origin: Origin = { kind: "call", call: path === "" ? call : `${call} ${nameOf(path)}` };
  if (depth > MAX_DEPTH) throw misfit({ kind: "call", call }, path, "is nested too deeply, or contains itself");
  if (Array.isArray(value))
    return listNode(
      value.map((item, at) => toNode(item, place, `${path}[${at}]`, depth + 1)),
      origin,
    );
  if (value instanceof Map || value instanceof Set) throw misfit(origin, path, "must be a plain object or list");
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    return mapNode(
      entries.map(([key, member]) => [key, toNode(member, place, path === "" ? key : `${path}.${key}`, depth + 1)]),
      origin,
    );
  }
  if (!isScalar(value)) throw misfit(origin, path, `must be plain data; found a ${typeof value}`);
  return scalarNode(value, origin);
}

/** No option has as many levels. */
const MAX_DEPTH = 64;

function misfit(origin: Origin, path: string, what: string): ToolcribError {
  const name = path.length > 80 ? `${path.slice(0, 79)}…` : path;
  return errorAt("config.invalid", origin, `${name} ${what}`, [name]);
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
