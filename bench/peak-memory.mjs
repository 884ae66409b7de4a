import { buildCatalog, buildToolset, readWorld, toTool } from "../dist/doors/core.js";
import { makeDefinitions, makeWorld } from "./workload.mjs";

const toolset = buildToolset(
  buildCatalog(makeDefinitions(10_000, 50).map(toTool)),
  readWorld(makeWorld(), "bench").scene,
);
if (toolset.placements.length < 10_000) throw new Error("tools were lost");
console.log(process.resourceUsage().maxRSS / 1024);
