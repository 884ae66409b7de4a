import { toOverrides } from "../../../config/to-overrides.ts";
import { toScene } from "../../../config/to-scene.ts";
import { buildOverriddenCatalog } from "../../../core/catalog/override-tools.ts";
import { findOff } from "../../../core/gates/builtins.ts";
import { createSessionHost, type SourcePorts } from "../../../runtime/session/tools/session-host.ts";
import { toSetting } from "../../../runtime/session/tools/setting.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../../../sources/builtin/definitions.ts";
import { failure } from "../../../sources/parts/results.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { Overrides } from "../command-line/overrides.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { toGivenSetting } from "../servers/live-session.ts";
import type { ToolQuestion } from "./question.ts";

/** Sources are collected and not opened, so none of them reaches anything. */
const NOTHING_RUNS: SourcePorts = {
  agents: null,
  setMode: () => {},
  callTool: async () => failure("The session is not open yet."),
};

/**
 * The question that the configuration asks. Servers are not started: their tools are not listed yet. What this machine
 * offers, such as a sandbox, is looked for all the same.
 */
export async function loadConfigured(input: CommandInput, overrides: Overrides): Promise<ToolQuestion> {
  const start = performance.now();
  const config = await loadAsked(input, overrides);
  input.log.debug(`the configuration took ${(performance.now() - start).toFixed(1)} ms`);
  const host = createSessionHost(toSetting(toGivenSetting(input, config)), { emit: () => {}, changed: () => {} });
  await host.sources(config, NOTHING_RUNS);
  const { allowNoTools: _, ...facts } = host.facts(config, []);
  const scene = toScene(config, { ...facts, sets: BUILTIN_SETS });
  const wireStyle = config.wireNames.value;
  const { catalog, notices } = buildOverriddenCatalog(BUILTIN_TOOLS, toOverrides(config), {
    style: wireStyle,
    sets: scene.sets,
    servers: scene.servers.keys(),
    isOff: findOff(scene),
  });
  const tools = catalog.entries.map(({ tool }) => tool);
  const leftOut = host.leftOut(config);
  return { tools, scene, wireStyle, config, leftOut, notices: [...config.notices, ...host.notices(), ...notices] };
}
