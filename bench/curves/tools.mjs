import { cpuOf, heldBytes } from "../how-it-grows/count.mjs";
import { makeDefinitions, makeWorld } from "../workload.mjs";

/** Servers of the workload, at most: as many as the lists of its scene name, and more. */
const SERVERS = 50;
const QUERY = "export the invoices of an account";

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "tools",
  title: "Tools",
  unit: "tools",
  what: "MCP tools of 50 servers, about 1.2 KB of definition each, in a scene that uses every list of names.",
  sizes: [10, 100, 1_000, 10_000, 100_000],
  quick: 10_000,
  rounds: 2,
  lines: {
    assemble: { what: "from raw fields to standings, with nothing known before", limit: 1.05 },
    list: { what: "the document of `toolcrib list --json` of a toolset that is there", limit: 1.05 },
    why: { what: "the answer about one name that exists and one that is misspelt", limit: 1.05 },
    search: { what: "one search by words, the index being there", limit: 1.05 },
    judge: { what: "the decision about one call under a rule for every tenth tool", limit: 1.05 },
  },
  memory: { what: "what catalog, toolset and search index keep", limit: 1.05 },
  async measure(size) {
    const { buildCatalog, buildToolset, explain, readWorld, toTool } = await import("../../dist/doors/core.js");
    const { SearchIndex } = await import("../../dist/core/search/search-index.js");
    const { searchTools } = await import("../../dist/core/search/search-tools.js");
    const { syncIndex } = await import("../../dist/core/search/toolset-view.js");
    const { toListText } = await import("../../dist/runtime/report/list-text.js");
    const { scene } = readWorld(makeWorld(), "curves");
    const assemble = (/** @type {ReturnType<typeof makeDefinitions>} */ fields) =>
      buildToolset(buildCatalog(fields.map(toTool)), scene);
    // Compiled before anything counts, whatever the size.
    for (let round = 0; round < 6; round++) assemble(makeDefinitions(2_000, SERVERS));
    const rounds = size > 10_000 ? 1 : 5;
    const fresh = Array.from({ length: rounds }, () => makeDefinitions(size, SERVERS));
    const cold = await cpuOf(() => assemble(fresh.pop() ?? []), { rounds, warmUp: 0 });

    const before = await heldBytes();
    const toolset = assemble(makeDefinitions(size, SERVERS));
    /** @type {InstanceType<typeof SearchIndex<import("../../dist/core/catalog/entry.js").Entry>>} */
    const index = new SearchIndex();
    syncIndex(index, toolset.catalog);
    const memory = (await heldBytes()) - before;

    const times = Math.max(1, Math.round(20_000 / size));
    const name = toolset.catalog.entries[Math.floor(size / 2)]?.id ?? "";
    const decideCall = await judging(toolset.catalog.entries.map((entry) => entry.wireName));
    return {
      cpu: {
        assemble: cold,
        list: await cpuOf(() => toListText({ toolset, notices: [] }, toolset.placements), {
          times,
        }),
        why: await cpuOf(() => [explain(toolset, name), explain(toolset, misspell(name))], { times }),
        search: await cpuOf(() => searchTools(index, toolset, { query: QUERY }), { times: Math.min(times, 200) }),
        judge: await cpuOf(decideCall, { times: 2_000 }),
      },
      memory,
    };
  },
};

/** Two letters in the wrong order. @param {string} name */
const misspell = (name) => name.replace(/(.)(.)$/, "$2x$1");

/** @param {readonly string[]} names of all tools */
async function judging(names) {
  const { defaultOrigin } = await import("../../dist/core/codes/origin.js");
  const { compileRules } = await import("../../dist/core/rules/compile-rules.js");
  const { decide } = await import("../../dist/core/rules/decide.js");
  const { parseRule } = await import("../../dist/core/rules/rule.js");
  const world = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
  const deny = names
    .filter((_, at) => at % 10 === 1)
    .map((name) => ({ value: parseRule(name, defaultOrigin), origin: defaultOrigin }));
  const rules = compileRules({ deny, ask: [], allow: [] }, world);
  const toolName = names[0] ?? "";
  const call = {
    ...{ toolName, arguments: {}, readOnly: false, subject: /** @type {const} */ ({ kind: "other" }) },
    isMeantBy: (/** @type {string} */ identifier) => identifier === toolName,
  };
  return () => decide(call, rules, { ...world, mode: "default", allowReadOnly: true });
}
