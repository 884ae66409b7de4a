import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { importForeign } from "../../../config/import/import-foreign.ts";
import type { ImportedServer } from "../../../config/import/import-servers.ts";
import type { Flags } from "../../../config/layers/read-layers.ts";
import { fileReaders, type Readers } from "../../../config/layers/readers.ts";
import { type ConfigInput, loadConfig } from "../../../config/load-config.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides } from "../command-line/overrides.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { noticeBrokenFiles } from "../configuration/foreign-servers.ts";
import { bringsServers, hasOwnFile } from "../configuration/load-asked.ts";
import { loadHome } from "../configuration/load-home.ts";
import { sampleConfig } from "../configuration/sample-config.ts";

/** The configuration that `up` and `serve` run with, and where it came from. */
export interface FoundConfig {
  readonly config: Config;
  /** `own`: files of ours. `foreign`: servers of other products in the home folder. `default`: there is nothing. */
  readonly from: "own" | "foreign" | "default";
  /** Other products' files that are used, as the user would write them. */
  readonly foreignFiles: readonly string[];
  /** Servers in other products' files of the workspace, which start only after `init` and `trust`. */
  readonly notStarted: readonly ImportedServer[];
  /** Every file that was read or looked for, so that a change of any of them is noticed. */
  readonly watched: readonly string[];
  /** Changes whenever the content of any of these files does. */
  readonly digest: string;
}

/** Reads everything again: a file of ours, else what people already have, else what ships with Toolcrib. */
export async function findConfig(input: CommandInput, more: Flags = {}): Promise<FoundConfig> {
  const base = toConfigInput(input, readOverrides(input.args));
  const noting = noteReads(fileReaders);
  const { readers } = noting;
  const given: ConfigInput = { ...base, flags: { ...base.flags, ...more }, readers };
  const finish = (config: Config, rest: Omit<FoundConfig, "config" | "watched" | "digest">): FoundConfig => ({
    config,
    ...rest,
    watched: noting.paths(),
    digest: noting.digest(),
  });
  const own = await loadConfig(given);
  const places = { cwd: given.cwd, home: given.home, env: given.env, platform: process.platform };
  const project = await importForeign(places, readers, "project");
  if (hasOwnFile(own, given)) return finish(own, { from: "own", foreignFiles: [], notStarted: [] });
  const notStarted = project.servers;
  const home = await loadHome(given);
  const told = (config: Config): Config => ({
    ...config,
    notices: [...config.notices, ...home.notices, ...noticeBrokenFiles(project)],
  });
  if (home.config !== null) return finish(told(home.config), { from: "foreign", foreignFiles: home.files, notStarted });
  if (bringsServers(own)) return finish(told(own), { from: "own", foreignFiles: [], notStarted });
  const config = await loadConfig({ ...given, standIn: sampleConfig() });
  return finish(told(config), { from: "default", foreignFiles: [], notStarted });
}

/** Readers that remember what they were asked for and what they found. */
function noteReads(readers: Readers) {
  const seen = new Map<string, string>();
  const note = (path: string, found: string): void => void seen.set(path, found);
  const noting: Readers = {
    ...readers,
    async readText(path) {
      const text = await readers.readText(path);
      note(path, text === null ? "" : createHash("sha256").update(text).digest("hex"));
      return text;
    },
    async listFolder(path) {
      const names = await readers.listFolder(path);
      note(join(path, "."), names.join("\n"));
      return names;
    },
    async exists(path) {
      const found = await readers.exists(path);
      if (!seen.has(path)) note(path, String(found));
      return found;
    },
  };
  return {
    readers: noting,
    paths: () => [...seen.keys()],
    digest: () => JSON.stringify([...seen].sort()),
  };
}
