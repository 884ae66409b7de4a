import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

/** `project_instructions`: the project's instructions for one file. */
export const projectInstructions: BuiltinHandler = async ({ path }, _run, { instructionsFor }) => {
  if (instructionsFor === null || typeof path !== "string") return fail("There is no workspace to ask about.");
  const instructions = await instructionsFor(path);
  return succeed(
    instructions.length === 0 ? `The project says nothing about ${path} in particular.` : instructions.join("\n\n"),
  );
};
