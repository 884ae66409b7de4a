import { loadInstructions as readProject } from "../../runtime/loop/instruction-files.ts";
import { type Live, tell } from "./live.ts";
import { textsOf } from "./wire-values.ts";

/** Reads what files of instructions say, for the system text; a session may do without them. */
export async function loadInstructions(live: Live): Promise<void> {
  const { wire, cwd } = live;
  const folders = [...(wire.skipCustomInstructions === true ? [] : [cwd]), ...textsOf(wire.instructionDirectories)];
  const read = await Promise.all(folders.map((folder) => readProject(folder, folder)));
  for (const { text } of read.flatMap(({ notices }) => notices))
    tell(live, "session.warning", { warningType: "instructions", message: text });
  const sections = read.flatMap((one) => one.sections);
  live.facts.set("instructions", [...new Set(sections.map(({ text }) => text))].join("\n\n"));
}
