import type { ShellCommand } from "./command-line.ts";

/** Programs that delete, overwrite, end or take over something, whatever their arguments. */
const DESTRUCTIVE = new Set(
  "rm rmdir unlink shred srm wipe dd mkfs fdisk sfdisk parted wipefs truncate mkswap kill killall pkill shutdown reboot halt poweroff sudo doas su pkexec chroot dropdb dropuser iptables nft userdel groupdel".split(
    " ",
  ),
);

/** Words that make an otherwise useful program destructive: one is enough. */
const DESTRUCTIVE_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["git", /^(?:--force(?:-.*)?|--hard|--mirror|--delete|--prune.*|clean|filter-branch|filter-repo|gc|restore|\+\S+)$/],
  ["find", /^-(?:delete|exec(?:dir)?|ok(?:dir)?)$/],
  ["chmod", /^(?:-\w*R\w*|--recursive)$/],
  ["chown", /^(?:-\w*R\w*|--recursive)$/],
  ["crontab", /^-r$/],
  ["docker", /^(?:rm|rmi|prune|kill|down)$/],
  ["podman", /^(?:rm|rmi|prune|kill|down)$/],
  ["kubectl", /^(?:delete|drain|replace)$/],
  ["helm", /^(?:uninstall|delete)$/],
  ["terraform", /^(?:destroy|-?-auto-approve)$/],
  ["tofu", /^(?:destroy|-?-auto-approve)$/],
  ["npm", /^(?:publish|unpublish|deprecate)$/],
  ["pnpm", /^(?:publish|unpublish)$/],
  ["yarn", /^(?:publish|unpublish)$/],
  ["cargo", /^(?:publish|yank)$/],
  ["gh", /^(?:delete|archive)$/],
  ["aws", /^(?:rm|rb|(?:delete|terminate)-.*)$/],
  ["gcloud", /^delete$/],
  ["systemctl", /^(?:stop|disable|mask|kill|poweroff|reboot|halt)$/],
  ["rsync", /^--(?:delete.*|remove-source-files)$/],
]);

/** Short options of git that delete or overwrite, by sub-command. */
const GIT_SHORT: ReadonlyMap<string, RegExp> = new Map([
  ["push", /^-[a-z]*[fd]/],
  ["branch", /^-[a-z]*[DdMf]/],
  ["checkout", /^(?:-[a-z]*f|--|\.)$/],
  ["tag", /^-[a-z]*[df]/],
  ["stash", /^(?:drop|clear)$/],
]);

/** Programs that run text as code: a rule does not show what that does. */
const INTERPRETER =
  /^(?:(?:ba|z|da|k|c|tc|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|osascript|awk|gawk|sed)$/;
const INLINE_CODE = /^(?:-[a-zA-Z]*[cer]|-[cer].*|--(?:eval|print|command|run|expression).*|-p)$/;
const EVALUATORS = new Set(["eval", "source", ".", "exec", "xargs", "parallel", "ssh", "nc", "ncat", "socat"]);
/** More than this is not readable at a glance. */
const MOST_LETTERS = 120;
/** Probably encoded text. */
const OPAQUE = /[A-Za-z0-9+/=_-]{48,}/;

/** Whether to offer a rule that always allows this very command: not if it destroys something or hides what it does. */
export function isWorthKeeping(command: ShellCommand): boolean {
  const [first, ...rest] = command.words;
  if (first === undefined) return false;
  const name = baseName(first.text);
  const words = rest.map(({ text }) => text);
  const isHarmful = isDestructive(name, words) || isHardToRead(name, words, command);
  return !isHarmful && command.inner.every(({ guessed, commands }) => guessed || commands.every(isWorthKeeping));
}

function isDestructive(name: string, words: readonly string[]): boolean {
  if (DESTRUCTIVE.has(name) || name.startsWith("mkfs.")) return true;
  const telling = DESTRUCTIVE_WORDS.get(name);
  if (telling !== undefined && words.some((word) => telling.test(word))) return true;
  if (name !== "git")
    return words.some((word) => /\b(?:drop|truncate|delete)\s+(?:table|database|schema|from)\b/i.test(word));
  return [...GIT_SHORT].some(
    ([sub, option]) => words.includes(sub) && words.slice(words.indexOf(sub) + 1).some((word) => option.test(word)),
  );
}

function isHardToRead(name: string, words: readonly string[], { piped }: ShellCommand): boolean {
  const text = [name, ...words].join(" ");
  if (text.length > MOST_LETTERS || words.some((word) => OPAQUE.test(word) && !isPath(word))) return true;
  if (/\p{C}/u.test(text) || EVALUATORS.has(name)) return true;
  if (!INTERPRETER.test(name)) return false;
  const isEditor = name === "sed" || name.endsWith("awk");
  const readsProgram = piped && words.every((word) => word.startsWith("-"));
  return readsProgram || (!isEditor && words.some((word) => INLINE_CODE.test(word)));
}

function isPath(word: string): boolean {
  return /[/]/.test(word) && /^[./~\w-]+$/.test(word);
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
