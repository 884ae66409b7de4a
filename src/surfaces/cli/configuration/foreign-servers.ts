import type { Config } from "../../../config/config.ts";
import { type Imported, importForeign } from "../../../config/import/import-foreign.ts";
import type { ImportedServer } from "../../../config/import/import-servers.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import type { ConfigInput } from "../../../config/load-config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { namesOf } from "../../../runtime/report/waiting-servers.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toConfigInput } from "./config-input.ts";

/**
 * What people have clearly configured in a file that another product reads and Toolcrib does not: who looks for such a
 * server's tools has to learn where it is. `advice` is how to take one over here.
 */
export async function noticeForeignServers(
  config: Config,
  { cwd, home, env, readers = fileReaders }: ConfigInput,
  advice: string,
): Promise<readonly Notice[]> {
  const imported = await importForeign({ cwd, home, env, platform: process.platform }, readers, "project");
  const waiting = config.trust.items.flatMap(({ what, name }) => (what === "server" ? [name] : []));
  const known = new Set([...config.servers.keys(), ...waiting]);
  const missing = imported.servers.filter(({ name }) => !known.has(name));
  const [first] = missing;
  const broken = noticeBrokenFiles(imported);
  if (first === undefined) return broken;
  const names = missing.map(({ name }) => name);
  const listed = missing.map(({ name, origin }) => `${name} (${formatOrigin(origin)})`).join(", ");
  const text = `servers in other products' files of this project are not used: ${listed}. ${advice}`;
  return [{ level: "warning", code: "config.foreign-servers", text, names, origin: first.origin }, ...broken];
}

/** Servers of other products' files beside a configuration of ours, which takes their place. */
export interface UnusedServers {
  readonly side: "project" | "user";
  readonly servers: readonly Pick<ImportedServer, "name" | "origin">[];
}

export async function findUnused(
  { servers, trust }: Config,
  { cwd, home, env, readers = fileReaders }: ConfigInput,
): Promise<readonly UnusedServers[]> {
  const known = new Set([...servers.keys(), ...trust.items.map(({ name }) => name)]);
  const places = { cwd, home, env, platform: process.platform };
  const found: UnusedServers[] = [];
  for (const side of ["project", "user"] as const) {
    const imported = await importForeign(places, readers, side);
    const unused = imported.servers.filter(({ name }) => !known.has(name));
    if (unused.length > 0) found.push({ side, servers: unused });
  }
  return found;
}

/** A sentence for each side: which, why not, and how to take them over. */
export function describeUnused(unused: readonly UnusedServers[]): readonly string[] {
  return unused.map(({ side, servers }) => {
    const listed = servers.map(({ name, origin }) => `${name} (${formatOrigin(origin)})`).join(", ");
    return side === "project"
      ? `Not used here: ${listed}. "toolcrib init" takes them over, and "toolcrib trust" then lets them start.`
      : `Not used here: ${listed}. Servers of your home folder count until there is a toolcrib.yaml or a configuration of your own; "toolcrib init" adds them to toolcrib.yaml.`;
  });
}

/** Where the server stands that a name is of, when only another product's file has it; null for every other name. */
export async function describeElsewhere(
  name: string,
  { servers }: Config,
  input: CommandInput,
): Promise<string | null> {
  const { cwd, home, env, readers = fileReaders } = toConfigInput(input);
  const places = { cwd, home, env, platform: process.platform };
  for (const [side, command] of [
    ["project", '"toolcrib init", then "toolcrib trust"'],
    ["user", '"toolcrib init --config ~/.config/toolcrib/config.yaml"'],
  ] as const) {
    const imported = await importForeign(places, readers, side);
    const found = imported.servers.find((server) => !servers.has(server.name) && namesOf([server])(name));
    if (found === undefined) continue;
    const place = formatOrigin(found.origin);
    return `nothing is known about ${JSON.stringify(name)}: server "${found.name}" is only in ${place}, which Toolcrib does not use here. To import it: ${command}`;
  }
  return null;
}

/** Files whose servers nobody can know. */
export function noticeBrokenFiles({ left }: Pick<Imported, "left">): readonly Notice[] {
  return left.flatMap(({ what, why, origin }): readonly Notice[] => {
    if (what !== "the file") return [];
    const file = origin.kind === "file" ? origin.file : "";
    const text = `servers of ${file} are not known: ${why}`;
    return [{ level: "warning", code: "config.foreign-invalid", text, names: [file], origin }];
  });
}
