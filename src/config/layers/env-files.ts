import { join, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { referencesIn } from "../../core/shape/expand-variables.ts";
import { type ConfigNode, isNull, type MapNode, nodeAt, type ScalarNode } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readFlag, readText } from "../../core/shape/read-node.ts";
import type { EnvFile } from "../../core/shape/shape.ts";
import { isPlainVariable, isVariable } from "./env-names.ts";
import type { Readers } from "./readers.ts";

interface EnvFiles {
  /** The content of each `envFile`, by the node that names it. */
  readonly envFiles: ReadonlyMap<ConfigNode, EnvFile>;
  readonly notices: readonly Notice[];
}

/**
 * Reads the `envFile` of every server that may be started. Only files that really are in the workspace are read, and of
 * them only what the entry lists and what is known to be plain. What is refused is reported, and the server starts
 * without it.
 */
export async function readEnvFiles(root: MapNode, workspace: string, readers: Readers): Promise<EnvFiles> {
  const envFiles = new Map<ConfigNode, EnvFile>();
  const notices: Notice[] = [];
  const real = await readers.realPath(workspace);
  for (const { server, file, entry } of namedFiles(root)) {
    const shown = String(file.value);
    const place = `server ${server}: envFile ${shown} (${formatOrigin(file.origin)})`;
    const tell = (text: string, level: Notice["level"] = "warning", more: readonly string[] = []): void => {
      const names = [server, shown, ...more];
      notices.push({ level, code: "config.env-file", text: `${place} ${text}`, names, origin: file.origin });
    };
    const read = await readInside(resolve(workspace, shown), real, readers);
    if ("trouble" in read) {
      tell(`is not read: ${read.trouble}; the server starts without it`);
      continue;
    }
    const variables = Object.entries(parseEnv(read.text)).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const { listed, referred, own, chose } = wantedBy(entry);
    const isPassed = ([name, value]: [string, string]) =>
      isVariable(name, value) && (listed.has(name) || isPlainVariable(name));
    const refused = variables.flatMap((one) =>
      isPassed(one) || referred.has(one[0]) || own.has(one[0]) ? [] : [one[0]],
    );
    // A person who chose the server's variables knows that the rest is left out.
    if (refused.length > 0) tell(describeRefused(refused), chose ? "info" : "warning", refused);
    envFiles.set(file, {
      passed: new Map(variables.filter(isPassed)),
      referred: new Map(variables.filter(([name, value]) => referred.has(name) && isVariable(name, value))),
    });
  }
  return { envFiles, notices };
}

type Read = { readonly text: string } | { readonly trouble: string };

/** Links are followed first, so that the checked file is the one read; a second check limits what a swap could gain. */
async function readInside(path: string, workspace: string, readers: Readers): Promise<Read> {
  const outside = { trouble: "it is not inside the workspace" };
  try {
    const real = await readers.realPath(path);
    if (!real.startsWith(join(workspace, sep))) return outside;
    const text = await readers.readText(real);
    if (text === null) return { trouble: "there is no such file" };
    if ((await readers.realPath(real)) !== real) return outside;
    return Buffer.byteLength(text) > MOST_BYTES ? { trouble: "it is larger than 1 MB" } : { text };
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "it is not a regular file";
    return { trouble: `it cannot be read (${why})` };
  }
}

const MOST_BYTES = 1_048_576;

function describeRefused(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const listed = `${names.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const [left, needed] =
    names.length === 1 ? ["it is", "it if the server needs it"] : ["they are", "those that the server needs"];
  return `sets ${listed}, which the entry does not list, so ${left} left out; add ${needed} to its inheritEnv`;
}

const MOST_NAMES = 30;

/** The variables that an entry itself names. */
function wantedBy(entry: ConfigNode) {
  const own = entriesAt(entry, "env");
  const inherit = nodeAt(entry, "inheritEnv");
  const referred = new Set(own.flatMap(([, value]) => referencesIn(readText(value)?.value ?? "")));
  return {
    listed: new Set(itemsAt(inherit).flatMap((name) => readText(name)?.value ?? [])),
    /** `${NAME}` in `env`, which puts the value where the entry says, and nowhere else. */
    referred,
    own: new Set(own.map(([name]) => name)),
    chose: !isNull(inherit) || referred.size > 0,
  };
}

interface NamedFile {
  readonly server: string;
  readonly entry: ConfigNode;
  readonly file: ScalarNode;
}

function namedFiles(root: MapNode): readonly NamedFile[] {
  const agents = itemsAt(root, "agents").map((agent) => nodeAt(agent, "mcpServers"));
  return [nodeAt(root, "mcpServers"), ...agents].flatMap((servers) =>
    entriesAt(servers).flatMap(([server, node]): readonly NamedFile[] => {
      const file = nodeAt(node, "envFile");
      const isOff = readFlag(nodeAt(node, "enabled"))?.value === false;
      return file?.kind === "scalar" && file.value !== null && !isOff ? [{ server, entry: node, file }] : [];
    }),
  );
}
