import { shownPath } from "../../config/layers/find-files.ts";
import { toLines } from "../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";
import { printAnswer } from "./print-answer.ts";
import type { Written } from "./up-clients.ts";
import { undoChanges } from "./written-files.ts";

/** What `--write` and `--move` did, a line each, with what is left to do. */
export function describeWritten({ clients, isPortable, target, unset }: Written): readonly string[] {
  const moved = [...new Set(clients.flatMap((client) => client.moved))];
  const both = clients.filter(({ others }) => others.length > 0);
  return [
    ...clients.map(({ file, changed }) =>
      changed ? `Wrote toolcrib connect into ${file}.` : `${file} has toolcrib connect already.`,
    ),
    ...(isPortable
      ? ["There is no token and no port in it: it can be committed."]
      : [
          "It names where Toolcrib lies on this machine; with toolcrib on the path, --write writes what can be committed.",
        ]),
    ...(target === null
      ? []
      : [
          `Moved ${moved.join(", ")} into ${target}; "toolcrib trust" lets them start, "toolcrib up --undo" puts all back.`,
        ]),
    ...(unset.length === 0 ? [] : [`Set these in the environment: ${unset.join(", ")}`]),
    ...both.map(
      ({ file, others }) =>
        `${file} also has ${others.join(", ")}: where Toolcrib has them too, their tools appear twice; --move moves them into toolcrib.yaml.`,
    ),
    ...clients.flatMap(({ client, atHome }) => (atHome === null ? [] : describeHome(target, client, atHome))),
  ];
}

/** Servers of the home folder stand in only where a project has no file of its own. */
function describeHome(target: string | null, client: string, { file, names }: AtHome): string {
  const both = names.join(", ");
  return target === null
    ? `${file} also has ${both}: ${client} goes on starting them by itself, so their tools appear twice. Toolcrib has them from that file, too: run "toolcrib init" before you remove them there.`
    : `With ${target} here, Toolcrib itself leaves out what only ${file} has (${both}), for every client: "toolcrib init" takes it over.`;
}

type AtHome = NonNullable<Written["clients"][number]["atHome"]>;

/** `toolcrib up --undo`: the files as they were before the last `--write`. */
export async function runUndo(input: CommandInput): Promise<number> {
  const files = (await undoChanges(input)).map((path) => shownPath(path, input.io));
  printAnswer(input, { restored: files }, () => toLines([`Put back ${files.join(", ")}.`]));
  return 0;
}
