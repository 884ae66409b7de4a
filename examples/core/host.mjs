// A host with a loop and handlers of its own. Toolcrib only decides which tools each run gets: no session, no file, no process.
import { buildCatalog, buildToolset, diffToolsets, explain, readWorld, toDefinitions } from "toolcrib/core";

const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };

/** @type {Record<string, (args: { path: string }) => string>} */
const handlers = {
  read_file: (args) => `The text of ${args.path}`,
  write_file: (args) => `${args.path} is written`,
  delete_file: (args) => `${args.path} is gone`,
};

const TOOLS = [
  { name: "read_file", description: "Reads a file", inputSchema: path, traits: { readOnly: true } },
  { name: "write_file", description: "Writes a file", inputSchema: path },
  { name: "delete_file", description: "Deletes a file", inputSchema: path },
];

/**
 * The tools of one run. What the host knows of it has the form of a world file.
 * @param {"default" | "plan"} mode
 */
export function issueTools(mode) {
  const question = { tools: TOOLS, options: { mode, excludeTools: ["delete_file"] } };
  const { tools, scene, wireStyle } = readWorld(question, "host");
  return buildToolset(buildCatalog(tools, { style: wireStyle, servers: scene.servers.keys() }), scene);
}

/**
 * Runs a call of the model, if its run has that tool.
 * @param {import("toolcrib/core").Toolset} toolset
 * @param {string} name
 * @param {{ path: string }} args
 */
export function answer(toolset, name, args) {
  const found = toolset.placements.find(({ entry, standing }) => entry.wireName === name && standing === "visible");
  const handler = found && handlers[found.entry.tool.name];
  return handler === undefined ? `There is no tool ${name}.` : handler(args);
}

const writing = issueTools("default");
const planning = issueTools("plan");

console.log(
  "the model gets",
  toDefinitions(writing)
    .map(({ name }) => name)
    .join(", "),
);
console.log(answer(writing, "write_file", { path: "a.md" }));
console.log(answer(writing, "delete_file", { path: "a.md" }));

const why = explain(writing, "delete_file");
if (why.kind === "found") for (const { fixes } of why.explanations) console.log("to change that:", fixes.join("; "));

for (const { wireName, before, after, gained } of diffToolsets(writing, planning))
  console.log(`in plan mode: ${wireName} ${before} -> ${after}, by ${gained.map(({ gate }) => gate).join(", ")}`);
