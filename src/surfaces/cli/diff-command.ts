import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { diffToolsets, type ToolChange } from "../../core/toolset/diff-toolsets.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { parseSide, type Side } from "./diff-side.ts";
import { formatChanges } from "./diff-text.ts";
import { toJson } from "./escape-text.ts";
import { type Answered, answer, loadQuestion } from "./load-question.ts";
import { readOverrides, stackOverrides } from "./overrides.ts";
import { toNoticeRow, toTraceRow } from "./toolset-json.ts";

/** `toolcrib diff A B`: what changes between two scenes or worlds, and by which gate. */
export async function runDiff(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const sides = args.operands.map((operand) => parseSide(operand, io));
  const [first, second] = sides;
  if (first === undefined || second === undefined) throw usage("toolcrib diff needs A and B");
  const idle = (["world", "config"] as const).find((name) => args.has(name));
  if (idle !== undefined && sides.every(({ kind }) => kind === "world"))
    throw usage(`--${idle} has no effect where both sides are world files`);
  const before = await loadSide(input, first);
  const after = await loadSide(input, second);
  const changes = diffToolsets(before.toolset, after.toolset);
  const notices = uniqueNotices([...before.notices, ...after.notices]);
  if (args.has("json")) {
    io.out(toJson({ changes: changes.map(toChangeRow), notices: notices.map(toNoticeRow) }, io.isTTY));
    return 0;
  }
  log.notices(notices);
  io.out(formatChanges(changes, after.toolset, io));
  return 0;
}

async function loadSide(input: CommandInput, side: Side): Promise<Answered> {
  const overrides = readOverrides(input.args);
  if (side.kind === "scene") {
    const question = await loadQuestion(input, stackOverrides(overrides, side.overrides));
    return answer(question, input.log);
  }
  const { readWorldFile } = await import("./read-world-file.ts");
  return answer(await readWorldFile(side.file, overrides, input.io, input.log), input.log);
}

/** Both sides mostly stand on the same files, and so have the same to say. */
function uniqueNotices(notices: readonly Notice[]): readonly Notice[] {
  const keyed = notices.map((notice) => [`${notice.text} ${formatOrigin(notice.origin)}`, notice] as const);
  return [...new Map(keyed).values()];
}

function toChangeRow(change: ToolChange): object {
  const { wireName, identity, source, before, after, redefined, gained, lost } = change;
  return {
    name: wireName,
    id: identity,
    source,
    before,
    after,
    redefined,
    gained: gained.map(toTraceRow),
    lost: lost.map(toTraceRow),
  };
}
