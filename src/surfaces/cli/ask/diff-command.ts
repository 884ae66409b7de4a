import { diffToolsets } from "../../../core/toolset/diff-toolsets.ts";
import {
  type AnsweredQuestion,
  toChangeRow,
  toNoticeRow,
  uniqueNotices,
} from "../../../runtime/report/toolset-rows.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides, stackOverrides } from "../command-line/overrides.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { parseSide, type Side } from "./diff-side.ts";
import { formatChanges } from "./diff-text.ts";
import { forClient, sayScene } from "./for-client.ts";
import { answer, loadQuestions } from "./load-question.ts";
import type { ToolQuestion } from "./question.ts";

/** `toolcrib diff A B`: what changes between two scenes, worlds or points of sessions, and by which gate. */
export async function runDiff(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const sides = args.operands.map((operand) => parseSide(operand, io));
  const [first, second] = sides;
  if (first === undefined || second === undefined) throw usage("toolcrib diff needs A and B");
  const idle = (["world", "config"] as const).find((name) => args.has(name));
  if (idle !== undefined && sides.every(({ kind }) => kind !== "scene"))
    throw usage(`--${idle} has no effect where both sides are world files or sessions`);
  const [before, after] = await loadSides(input, first, second);
  const changes = diffToolsets(before.toolset, after.toolset);
  const notices = uniqueNotices([...before.notices, ...after.notices]);
  if (!args.has("json")) log.notices(notices);
  const document = { changes: changes.map(toChangeRow), notices: notices.map(toNoticeRow) };
  printAnswer(input, document, () => formatChanges(changes, after.toolset, io));
  return 0;
}

async function loadSides(
  input: CommandInput,
  ...sides: readonly [Side, Side]
): Promise<readonly [AnsweredQuestion, AnsweredQuestion]> {
  const overrides = readOverrides(input.args);
  const scenes = sides.filter((side) => side.kind === "scene");
  if (scenes.length > 0) sayScene(input, overrides);
  const questions = await loadQuestions(
    input,
    scenes.map((side) => stackOverrides(overrides, side.overrides)),
  );
  const load = async (side: Side): Promise<AnsweredQuestion> => {
    const question = side.kind === "scene" ? questions[scenes.indexOf(side)] : await readOther(side);
    if (question === undefined) throw new Error("every scene has its question");
    return answer(question, input.log);
  };
  const readOther = async (side: Exclude<Side, { kind: "scene" }>): Promise<ToolQuestion> => {
    if (side.kind === "session") return (await import("./past-question.ts")).loadPastWorld(input, side.id, side.at);
    const { readWorldFile } = await import("./read-world-file.ts");
    return forClient(await readWorldFile(side.file, overrides, input.io, input.log), overrides);
  };
  return [await load(sides[0]), await load(sides[1])];
}
