import { isAtWork, type PathWorld } from "../paths.ts";
import type { RuleTables } from "../rule-table.ts";
import type { ShellCommand } from "./command-line.ts";
import { coverCommand } from "./cover-command.ts";
import { asking, type Finding, showCommand } from "./finding.ts";
import { type Folders, resolveWord } from "./judge-files.ts";
import { readCommandOptions } from "./read-options.ts";

/**
 * Git accepts any folder with a repository's files, even a committed one, and its settings decide what git runs:
 * `core.fsmonitor`, filters, diff programs. The author of a rule knew only the workspace's own repository.
 */
export function repositoryJudge({ allow }: RuleTables, world: PathWorld) {
  const { repositoryAt } = world;
  const isOpen = allow.about({ words: [] }).some(({ family, matcher }) => family === "shell" && matcher.kind === "any");
  const written = allow.without(({ matcher }) => matcher.kind === "command" && matcher.pattern.kind === "reading");
  return (command: ShellCommand, folders: Folders): readonly Finding[] => {
    const { program } = readCommandOptions(command.words);
    if (isOpen || program === null || !/^git(?: |$)/.test(program.path)) return [];
    const others = foldersOf(command, folders, world).filter((folder) => isAtWork(folder, world));
    // Without file system access, a rule for the command is all there is to go by.
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

/** Where git starts to look: each `-C` is relative to the one before. */
function foldersOf(command: ShellCommand, folders: Folders, world: PathWorld): readonly string[] {
  return readCommandOptions(command.words).items.reduce<readonly string[]>(
    (known, { option, kind, word }) =>
      option === "-C" && kind === "folder" ? resolveWord(word, world, { ...folders, known }).found : known,
    folders.known,
  );
}
