import { join, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { isLoaderVariable } from "../../core/rules/loader-variables.ts";
import { type ConfigNode, type MapNode, nodeAt, type ScalarNode } from "../../core/shape/node.ts";
import { entriesAt, itemsAt, readFlag } from "../../core/shape/read-node.ts";
import type { Readers } from "./readers.ts";

interface EnvFiles {
  /** What each `envFile` says, by the node that names it. */
  readonly envFiles: ReadonlyMap<ConfigNode, ReadonlyMap<string, string>>;
  readonly notices: readonly Notice[];
}

/**
 * Reads the `envFile` of every server that may be started. Only files that really lie in the workspace are read, and
 * nothing is taken from them that would change which code the server runs. What is not read is reported, and the server
 * starts without it.
 */
export async function readEnvFiles(root: MapNode, workspace: string, readers: Readers): Promise<EnvFiles> {
  const envFiles = new Map<ConfigNode, ReadonlyMap<string, string>>();
  const notices: Notice[] = [];
  const real = await readers.realPath(workspace);
  for (const { server, file } of namedFiles(root)) {
    const shown = String(file.value);
    const place = `server ${server}: envFile ${shown} (${formatOrigin(file.origin)})`;
    const warn = (text: string): void => {
      const names = [server, shown];
      notices.push({ level: "warning", code: "config.env-file", text: `${place} ${text}`, names, origin: file.origin });
    };
    const read = await readInside(resolve(workspace, shown), real, readers);
    if ("trouble" in read) {
      warn(`is not read: ${read.trouble}; the server starts without it`);
      continue;
    }
    const variables = Object.entries(parseEnv(read.text)).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const refused = variables.map(([name]) => name).filter(isLoaderVariable);
    if (refused.length > 0)
      warn(
        `sets ${refused.join(", ")}, which can change what runs and ${refused.length === 1 ? "is" : "are"} left out; if it is meant, write it into the server's env`,
      );
    envFiles.set(file, new Map(variables.filter(([name]) => !isLoaderVariable(name))));
  }
  return { envFiles, notices };
}

type Read = { readonly text: string } | { readonly trouble: string };

/** Links are followed first, so that what is checked is what is read; a second look bounds what a swap could gain. */
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

interface NamedFile {
  readonly server: string;
  readonly file: ScalarNode;
}

function namedFiles(root: MapNode): readonly NamedFile[] {
  const agents = itemsAt(root, "agents").map((agent) => nodeAt(agent, "mcpServers"));
  return [nodeAt(root, "mcpServers"), ...agents].flatMap((servers) =>
    entriesAt(servers).flatMap(([server, node]): readonly NamedFile[] => {
      const file = nodeAt(node, "envFile");
      const isOff = readFlag(nodeAt(node, "enabled"))?.value === false;
      return file?.kind === "scalar" && file.value !== null && !isOff ? [{ server, file }] : [];
    }),
  );
}
