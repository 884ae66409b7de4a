import { toModel } from "../../../config/models.ts";
import { buildCatalog } from "../../../core/catalog/catalog.ts";
import { modelGate } from "../../../core/gates/model.ts";
import { DEFAULT_SCENE } from "../../../core/scene/default-scene.ts";
import { buildToolset } from "../../../core/toolset/build-toolset.ts";
import { toPromptSections } from "../../../core/toolset/prompt-sections.ts";
import { withAgents } from "../../../sources/builtin/agent-source.ts";
import { BUILTIN_TOOLS } from "../../../sources/builtin/definitions.ts";
import { shippedAgents } from "../tools/agents.ts";
import { toTheirs } from "../tools/builtin-dialect.ts";
import { COPILOT_BUILTINS } from "../tools/client-tools.ts";
import { readOptions } from "../wire/client-options.ts";
import type { Json } from "../wire/wire-values.ts";

/** The built-in tools of sessions with that model, in whatever mode and with whatever handlers. */
export function listBuiltins(model: string): readonly Json[] {
  const agents = shippedAgents(readOptions({})).map(({ name, description }) => ({
    name,
    description: description ?? "",
  }));
  const known = BUILTIN_TOOLS.filter(({ name }) => COPILOT_BUILTINS.includes(name));
  const catalog = buildCatalog(known.map((tool) => toTheirs(withAgents(tool, agents))));
  const scene = { ...DEFAULT_SCENE, model: toModel(model, { kind: "call", call: "tools.list" }) };
  const toolset = buildToolset(catalog, scene, [modelGate]);
  const texts = new Map(toPromptSections(toolset).map(({ id, text }) => [id, text]));
  return toolset.placements.flatMap(({ entry: { tool, wireName: name }, standing }) => {
    if (standing === "hidden") return [];
    const instructions = texts.get(`tool:${name}`);
    return [
      {
        ...{ name, namespacedName: `builtin/${name}`, description: tool.description, parameters: tool.inputSchema },
        ...(instructions === undefined ? {} : { instructions }),
      },
    ];
  });
}
