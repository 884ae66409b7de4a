import { basename } from "node:path";
import type { Config } from "../../../config/config.ts";
import { userFolder } from "../../../config/layers/find-files.ts";
import { type ConfigInput, loadConfig } from "../../../config/load-config.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type Overrides, readOverrides } from "../command-line/overrides.ts";
import { toConfigInput } from "./config-input.ts";
import { noteForeign, sayOnce } from "./say-once.ts";

/** The configuration that a question is about: of the whole session, or with `--subagent` of an agent that works in it. */
export async function loadAsked(
  input: CommandInput,
  overrides: Overrides = readOverrides(input.args),
  given: ConfigInput = toConfigInput(input, overrides),
): Promise<Config> {
  const config = await loadSession(input, given);
  if (!input.args.has("subagent")) return config;
  const { agent } = overrides;
  if (agent === null) throw usage("--subagent needs --agent NAME: the agent that works for another one");
  const { toChildConfig } = await import("../../../runtime/agents/child-config.ts");
  return toChildConfig(config, agent.value, 1, { origin: agent.origin }).config;
}

/**
 * Where there is no file of ours, the servers of other products in the home
 * folder count, as they do for `up`, so that answers are about what its page shows.
 */
async function loadSession(input: CommandInput, given: ConfigInput): Promise<Config> {
  const own = await loadConfig(given);
  if (hasOwnFile(own, given)) return own;
  const { loadHome } = await import("./load-home.ts");
  const home = await loadHome(given);
  if (home.config !== null) {
    noteForeign(input);
    sayOnce(
      input,
      "servers",
      `No toolcrib.yaml here, so these are the servers of ${home.files.join(", ")}, as in "toolcrib up".`,
    );
  }
  const { noticeForeignServers } = await import("./foreign-servers.ts");
  const config = home.config ?? (input.running === undefined ? own : await loadSample(given));
  const notices = [...home.notices, ...(await noticeForeignServers(config, given, TAKE_OVER))];
  return { ...config, notices: [...config.notices, ...notices] };
}

const TAKE_OVER = '"toolcrib init" takes them over, and "toolcrib trust" then lets them start';

/**
 * Whether anybody has written or named a configuration. A managed policy alone is none, and neither is a local file that
 * only turns off what is there or adds a server to it: it must not take away all the rest.
 */
export function hasOwnFile({ files, written }: Config, places: Pick<ConfigInput, "home" | "env">): boolean {
  const own = files.filter(({ path, layer, named }) => {
    if (layer === "user") return path.startsWith(userFolder(places));
    return named || (layer !== "policy" && /^toolcrib(?:\.local)?\./.test(basename(path)));
  });
  const isOnlyLocal = own.every(({ layer, named }) => layer === "local" && !named);
  const said = [...written.entries].filter(([, { origin }]) => origin.kind !== "default").map(([key]) => key);
  return own.length > 0 && !(isOnlyLocal && said.every((key) => SWITCHES.has(key)));
}

/** What the inspector and `add` write into `toolcrib.local.yaml`. */
const SWITCHES: ReadonlySet<string> = new Set(["excludeTools", "disabledServers", "mcpServers"]);

/** What runs with no configuration at all. */
async function loadSample(given: ConfigInput): Promise<Config> {
  const { sampleConfig } = await import("./sample-config.ts");
  return loadConfig({ ...given, standIn: sampleConfig() });
}
