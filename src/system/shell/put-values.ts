import { UNKNOWN_TEXT } from "../../core/rules/shell/command-line.ts";
import { useOf } from "./bindings.ts";
import type { Findings, Marked, ScannedCommand } from "./cursor.ts";
import type { MarkedText } from "./expand-braces.ts";
import { describe } from "./scan-word.ts";

/** The index of each binding's value. */
type Choice = ReadonlyMap<number, number>;

/** How many commands one may become, and all of a line together; beyond that their values count as unknown. */
const MOST_OF_ONE = 32;
const MOST_OF_LINE = 200;
/** Text that is one word even without quotes. */
const ONE_WORD = /^~?[\w./:@%+=,-]+$|^~$/;

/** Each command with the values that its words may have: as many commands as there are values. */
export function putValues(findings: Findings): readonly ScannedCommand[] {
  const { commands, bindings } = findings;
  if (bindings.length === 0) return commands;
  let left = MOST_OF_LINE;
  return commands.flatMap((command) => {
    const used = usedBy(textsOf(command), findings);
    if (used === null) return [command];
    const choices = choicesOf(used, findings);
    const isWorth = choices.length > 0 && choices.length <= Math.min(MOST_OF_ONE, left);
    if (isWorth) left -= choices.length - 1;
    return (isWorth ? choices : [null]).map((choice, at) => ({ ...put(command, choice, findings), isAgain: at > 0 }));
  });
}

function textsOf({ words, assignments, redirections }: ScannedCommand): readonly Marked[] {
  return [...words, ...assignments.map(({ value }) => value), ...redirections.map(({ target }) => target)];
}

/** The bindings used in texts, including nested ones; null if there are none. */
function usedBy(texts: readonly Marked[], findings: Findings): ReadonlySet<number> | null {
  const found = new Set<number>();
  const look = (marks: string): void => {
    for (const mark of marks) {
      const use = useOf(mark);
      const binding = use === null ? undefined : findings.bindings[use.index];
      if (binding === undefined || found.has(binding.of)) continue;
      found.add(binding.of);
      for (const value of binding.values) look(value.marks);
      for (const value of findings.bindings[binding.of]?.values ?? []) look(value.marks);
    }
  };
  for (const { marked } of texts) if (marked !== undefined) look(marked.marks);
  return texts.some(({ marked }) => marked !== undefined) ? found : null;
}

function choicesOf(used: ReadonlySet<number>, { bindings }: Findings): readonly Choice[] {
  let choices: readonly Choice[] = [new Map()];
  for (const index of used) {
    const places = (bindings[index]?.values ?? []).map((_, place) => place);
    choices = choices.flatMap((choice) => places.map((place) => new Map([...choice, [index, place]])));
    if (choices.length > MOST_OF_ONE) return [];
  }
  return choices;
}

function put(command: ScannedCommand, choice: Choice | null, findings: Findings): ScannedCommand {
  const realize = <T extends Marked>(word: T): T => {
    const { marked } = word;
    return marked === undefined ? word : { ...word, marked: undefined, ...describe(filled(marked, choice, findings)) };
  };
  const [name, ...words] = command.words.map(realize);
  // Contract 6: a name that is not plain text is never allowed.
  const named =
    name === undefined ? [] : [command.words[0]?.marked === undefined ? name : { ...name, isStatic: false }];
  return {
    ...command,
    words: [...named, ...words],
    assignments: command.assignments.map((one) => ({ ...one, value: realize(one.value) })),
    redirections: command.redirections.map((one) => ({ ...one, target: realize(one.target) })),
  };
}

function filled({ text, marks }: MarkedText, choice: Choice | null, findings: Findings): MarkedText {
  let made = { text: "", marks: "" };
  const add = (piece: MarkedText): void => {
    made = { text: made.text + piece.text, marks: made.marks + piece.marks };
  };
  for (let at = 0; at < text.length; at++) {
    const use = useOf(marks[at]);
    if (use === null) add({ text: text[at] ?? "", marks: marks[at] ?? "" });
    else add(textOf(use, choice, findings, made.text === ""));
  }
  return made;
}

function textOf(
  { index, isQuoted }: { readonly index: number; readonly isQuoted: boolean },
  choice: Choice | null,
  findings: Findings,
  isFirst: boolean,
): MarkedText {
  const unknown = { text: UNKNOWN_TEXT, marks: isQuoted ? "d" : "D" };
  const binding = findings.bindings[index];
  const written = binding?.values[choice?.get(binding.of) ?? -1];
  if (binding === undefined || written === undefined || !holds(binding, findings)) return unknown;
  const value = filled(written, choice, findings);
  const isFolder = value.marks.startsWith("c") || (value.text.startsWith("~") && value.marks.startsWith("u"));
  if (isFolder && !isFirst) return unknown;
  const own = { text: value.text, marks: value.marks.replace(/^c/, "q") };
  const isOne = /^[uqo]*$/.test(own.marks) && ONE_WORD.test(own.text);
  return isQuoted || (isOne && !findings.given.has("IFS")) ? own : unknown;
}

/** Whether nothing else in the line may have set it. */
function holds({ names, times }: { readonly names: readonly string[]; readonly times: number }, findings: Findings) {
  const { sets, evaluates, given } = findings;
  return !sets && !evaluates && names.every((name) => (given.get(name) ?? 0) === times);
}
