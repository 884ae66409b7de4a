import { basename } from "node:path";
import type { Config } from "../../../config/config.ts";
import { userFolder } from "../../../config/layers/find-files.ts";
import { type ConfigInput, loadConfig } from "../../../config/load-config.ts";
import type { Caller } from "../../../core/people/person.ts";
import { personProfile, toViewConfig } from "../../../runtime/crib/profile.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type Overrides, readOverrides } from "../command-line/overrides.ts";
import { toConfigInput } from "./config-input.ts";
import { sayOnce } from "./say-once.ts";

/** The configuration that a question is about: of the whole session, or with `--subagent` of an agent that works in it. */
export async function loadAsked(
  input: CommandInput,
  overrides: Overrides = readOverrides(input.args),
  given: ConfigInput = toConfigInput(input, overrides),
): Promise<Config> {
  const isOfUp = overrides.client !== null || overrides.person !== null || OF_UP.has(input.args.command);
  const loaded = await loadSession(input, given, isOfUp);
  const config = overrides.caller === null ? loaded : ofPerson(loaded, overrides.caller);
  if (!input.args.has("subagent")) return config;
  const { agent } = overrides;
  if (agent === null) throw usage("--subagent needs --agent NAME: the agent that works for another one");
  const { toChildConfig } = await import("../../../runtime/agents/child-config.ts");
  return toChildConfig(config, agent.value, 1, { origin: agent.origin }).config;
}

/** What is left of the configuration for a person: profiles only narrow it. */
function ofPerson(config: Config, caller: Caller): Config {
  const profile = personProfile(config, caller);
  const given = toViewConfig(config, profile);
  return { ...given, limits: [...given.limits, ...profile.limits] };
}

/**
 * Where there is no file of ours, the servers of other products in the home folder count, as they do for `up`. The sample that
 * `up` offers where there is nothing at all is for clients alone.
 */
async function loadSession(input: CommandInput, given: ConfigInput, isOfUp: boolean): Promise<Config> {
  const own = await loadConfig(given);
  if (hasOwnFile(own, given)) return own;
  const { loadHome } = await import("./load-home.ts");
  const home = await loadHome(given);
  if (home.config !== null)
    sayOnce(
      input,
      "servers",
      `No toolcrib.yaml here, so these are the servers of ${home.files.join(", ")}, as in "toolcrib up".`,
    );
  const { noticeForeignServers } = await import("./foreign-servers.ts");
  const config = home.config ?? (isOfUp && !bringsServers(own) ? await loadSample(given) : own);
  const notices = [...home.notices, ...(await noticeForeignServers(config, given, TAKE_OVER))];
  return { ...config, notices: [...config.notices, ...notices] };
}

/** Commands about what `up` runs; all others are about a session of one's own, unless they name a client. */
const OF_UP: ReadonlySet<string | null> = new Set(["servers", "doctor"]);

/** A local file may bring some where no other file of ours is. */
export function bringsServers({ servers, trust }: Pick<Config, "servers" | "trust">): boolean {
  return servers.size > 0 || trust.items.some(({ what }) => what === "server");
}

const TAKE_OVER = '"toolcrib init" takes them over, and "toolcrib trust" then lets them start';

/**
 * The one rule for the servers that other products have in the home folder: they count until the project has a
 * `toolcrib.yaml`, or the person a configuration of their own, or a file is named. `toolcrib.local.yaml` adds to them.
 */
export function hasOwnFile({ files }: Pick<Config, "files">, places: Pick<ConfigInput, "home" | "env">): boolean {
  return files.some(
    ({ path, layer, named }) =>
      named === true ||
      (layer === "project" && /^toolcrib\./.test(basename(path))) ||
      (layer === "user" && path.startsWith(userFolder(places))),
  );
}

/** What runs with no configuration at all. */
async function loadSample(given: ConfigInput): Promise<Config> {
  const { sampleConfig } = await import("./sample-config.ts");
  return loadConfig({ ...given, standIn: sampleConfig() });
}
