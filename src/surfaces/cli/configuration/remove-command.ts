import { serversIn, withoutServer } from "../../../config/edit/edit-servers.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import { escapeLines, escapeText } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { adviseName } from "../terminal/name-list.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { checkText, type EditTarget, findEditTarget, readOptionalFile } from "./edit-target.ts";
import { formatLineDiff } from "./line-diff.ts";

/** `toolcrib remove SERVER`: takes a server out of `toolcrib.yaml`, keeping the rest. */
export async function runRemove(input: CommandInput): Promise<number> {
  const { path } = await findEditTarget(input);
  return input.args.has("dry-run") ? change(input) : oneAtATime(path, () => change(input));
}

async function change(input: CommandInput): Promise<number> {
  const { args } = input;
  const [name = ""] = args.operands;
  const target = await findEditTarget(input);
  const known = target.text === null ? [] : await serversIn(target.text, target.file);
  if (target.text === null || !known.includes(name)) throw await notThere(input, target, name, known);
  const after = await withoutServer(target.text, target.file, name);
  await checkText(after, target.file);
  const isDry = args.has("dry-run");
  if (!isDry) await writeWhole(target.path, after);
  const diff = formatLineDiff(target.text, after);
  printAnswer(input, { file: target.file, server: name, action: "removed", written: !isDry, diff }, () => {
    const change = `${isDry ? "Would change" : "Changed"} ${escapeText(target.file)}:\n${escapeLines(diff)}`;
    return isDry ? `${change}Nothing was written.\n` : change;
  });
  return 0;
}

async function notThere(
  { io }: CommandInput,
  { file, text, others }: EditTarget,
  name: string,
  known: readonly string[],
): Promise<ToolcribError> {
  for (const other of others) {
    const found = await readOptionalFile(other)
      .then((content) => serversIn(content ?? "", other))
      .catch((): readonly string[] => []);
    if (!found.includes(name)) continue;
    const shown = shownFile(other, io);
    const advice = `"${name}" is in ${shown}; to change that file: toolcrib remove ${name} --config ${shown}`;
    return new ToolcribError("server.unknown", advice, { names: [name] });
  }
  const advice = adviseName(name, known, "it configures none");
  const place = text === null ? "there is no toolcrib.yaml, so no server" : `${file} has no server`;
  const shown = `${place} ${JSON.stringify(name)}${text === null ? "" : `; ${advice.text}`}`;
  return new ToolcribError("server.unknown", shown, { names: advice.names });
}
