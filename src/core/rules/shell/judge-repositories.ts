import type { CompiledRules } from "../compile-rules.ts";
import { isAtWork, type PathWorld } from "../paths.ts";
import type { ShellCommand } from "./command-line.ts";
import { coverCommand } from "./cover-command.ts";
import { asking, type Finding, showCommand } from "./finding.ts";
import { type Folders, resolveWord } from "./judge-files.ts";
import { readOptions } from "./read-options.ts";

/**
 * Any folder with the files of a repository is one to git, also one that was committed, and its settings say what git runs:
 * `core.fsmonitor`, filters, programs that show differences. Only the workspace's own is known to whoever wrote a rule.
 */
export function repositoryJudge({ allow }: CompiledRules, world: PathWorld) {
  const { repositoryAt } = world;
  const isOpen = allow.some(({ family, matcher }) => family === "shell" && matcher.kind === "any");
  const written = allow.filter(({ matcher }) => matcher.kind !== "command" || matcher.pattern.kind !== "reading");
  return (command: ShellCommand, folders: Folders): readonly Finding[] => {
    const { program } = readOptions(command.words);
    if (isOpen || program === null || !/^git(?: |$)/.test(program.path)) return [];
    const others = foldersOf(command, folders, world).filter((folder) => isAtWork(folder, world));
    // Where nobody can look at a disk, a rule for the command is all there is to go by.
    const isOdd =
      repositoryAt === undefined
        ? others.some((folder) => folder !== world.workspace) && !coverCommand(command, written, world).covered
        : others.some((folder) => repositoryAt(folder) === "other");
    if (!isOdd) return [];
    const part = showCommand(command);
    const text = "git would work on another repository than the workspace's own, whose settings may run programs";
    return [asking(part, "permission.inner-command", `${JSON.stringify(part)}: ${text}`)];
  };
}

/** Where git starts to look: each `-C` counts from the one before. */
function foldersOf(command: ShellCommand, folders: Folders, world: PathWorld): readonly string[] {
  return readOptions(command.words).items.reduce<readonly string[]>(
    (known, { option, kind, word }) =>
      option === "-C" && kind === "d" ? resolveWord(word, world, { ...folders, known }).found : known,
    folders.known,
  );
}
