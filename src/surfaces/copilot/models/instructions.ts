import { join } from "node:path";
import { loadInstructionFiles as readProject } from "../../../runtime/loop/instruction-files.ts";
import { type Live, tell } from "../state/live.ts";
import { type Json, textOf, textsOf } from "../wire/wire-values.ts";

/** Reads what files of instructions say, for the system text; a session may do without them. */
export async function loadInstructions(live: Live): Promise<void> {
  const read = await Promise.all(foldersOf(live).map((folder) => readProject(folder, folder)));
  for (const { text } of read.flatMap(({ notices }) => notices))
    tell(live, "session.warning", { warningType: "instructions", message: text });
  const company = textOf(live.wire.organizationCustomInstructions) ?? "";
  const texts = [company, ...read.flatMap(({ sections }) => sections.map(({ text }) => text))];
  live.facts.set("instructions", [...new Set(texts)].filter((text) => text !== "").join("\n\n"));
}

/** The files of instructions that count for a session, as they are now. */
export async function sourcesOf(live: Live): Promise<readonly Json[]> {
  return (await Promise.all(foldersOf(live).map(findSources))).flat();
}

/** The files of instructions in a folder, each with what a model is told of it. */
export async function findSources(folder: string): Promise<readonly Json[]> {
  const { sections } = await readProject(folder, folder);
  return sections.map(({ id, text }) => ({
    id: join(folder, id),
    label: id,
    sourcePath: join(folder, id),
    content: text,
    type: id.endsWith(".instructions.md") ? "vscode" : "repo",
    location: "repository",
    projectPath: folder,
  }));
}

function foldersOf({ wire, cwd }: Live): readonly string[] {
  return [...(wire.skipCustomInstructions === true ? [] : [cwd]), ...textsOf(wire.instructionDirectories)];
}
