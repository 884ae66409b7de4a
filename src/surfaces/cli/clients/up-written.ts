import { writeLines } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { describeKeys } from "../configuration/keys-text.ts";
import { undoChanges } from "../configuration/written-files.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { connectRecord, type Written, withoutWritten } from "./up-clients.ts";

/** What `--write` and `--move` did, a line each, with what is left to do. */
export function describeWritten({ clients, isPortable, target, keys, unset, own }: Written): readonly string[] {
  const moved = [...new Set(clients.flatMap((client) => client.moved))];
  const both = clients.filter(({ others }) => others.length > 0);
  const ofPerson = clients.filter(({ isAtHome }) => isAtHome).map(({ file }) => file);
  return [
    ...clients.map(({ file, changed }) =>
      changed ? `Wrote toolcrib connect into ${file}.` : `${file} has toolcrib connect already.`,
    ),
    ...(ofPerson.length === 0
      ? []
      : [
          `${ofPerson.join(", ")}: ${ofPerson.length === 1 ? "a file" : "files"} of your own, so ${ofPerson.length === 1 ? "it counts" : "they count"} in every project.`,
        ]),
    ...(ofPerson.length === clients.length
      ? []
      : isPortable
        ? ["It holds no token and no port, so you can commit it."]
        : [
            "It holds paths of this machine, so do not commit it; with toolcrib on your PATH, --write writes an entry that you can commit.",
          ]),
    ...(target === null
      ? []
      : [
          `Moved ${moved.join(", ")} into ${target}. Run "toolcrib trust" to let them start, or "toolcrib up --undo" to restore the files.`,
        ]),
    ...(keys === null ? [] : [describeKeys(keys, "Put")]),
    ...(unset.length === 0 ? [] : [`Set these in the environment: ${unset.join(", ")}`]),
    ...both.map(
      ({ file, others }) =>
        `${file} also has ${others.join(", ")}: where Toolcrib has them too, their tools appear twice; --move moves them into toolcrib.yaml.`,
    ),
    ...clients.flatMap(({ client, atHome }) => (atHome === null ? [] : describeHome(own, client, atHome))),
  ];
}

/** Servers of the home folder stand in only while nothing of ours is configured. */
function describeHome(own: Written["own"], client: string, { file, names }: AtHome): readonly string[] {
  if (own === null)
    return [
      `${file} also has ${names.join(", ")}: ${client} goes on starting them by itself, so their tools appear twice. Toolcrib has them from that file, too: run ${TAKE_OVER} before you remove them there.`,
    ];
  const twice = names.filter((name) => own.includes(name));
  const left = names.filter((name) => !own.includes(name));
  return [
    ...(twice.length === 0
      ? []
      : [`${file} also has ${twice.join(", ")}: remove them there, or their tools appear twice in ${client}.`]),
    ...(left.length === 0
      ? []
      : [
          `Toolcrib leaves out what only ${file} has (${left.join(", ")}): ${TAKE_OVER} takes it over for every project.`,
        ]),
  ];
}

const TAKE_OVER = '"toolcrib init --config ~/.config/toolcrib/config.yaml"';

type AtHome = NonNullable<Written["clients"][number]["atHome"]>;

/** `toolcrib up --undo`: the files as they were before `--write`, or without what it wrote where they have changed since. */
export async function runUndo(input: CommandInput): Promise<number> {
  const undone = await undoChanges(await connectRecord(input), withoutWritten);
  const shown = (paths: readonly string[]) => paths.map((path) => shownFile(path, input.io));
  const [restored, merged, kept] = [shown(undone.restored), shown(undone.merged), shown(undone.kept)];
  const lines = [
    ...(restored.length === 0 ? [] : [`Put back ${restored.join(", ")}.`]),
    ...(merged.length === 0
      ? []
      : [`Took toolcrib connect out of ${merged.join(", ")}; what has changed there since stays.`]),
    ...kept.map((file) => `${file} has been changed since, so it stays as it is.`),
  ];
  printAnswer(input, { restored, merged, kept }, () => writeLines(lines));
  return 0;
}
