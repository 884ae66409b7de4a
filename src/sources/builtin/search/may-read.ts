import type { RunContext } from "../../source.ts";
import type { WalkedFile } from "./walk-files.ts";

/** Whether a file that a search found may be read. */
export type MayRead = (file: WalkedFile) => boolean;

/** Rules may name a file by the path that the model knows, or by its real path. */
export function toMayRead({ mayRead }: RunContext): MayRead {
  return mayRead === undefined ? () => true : ({ shown, real }) => mayRead(shown) && mayRead(real);
}

/** Says how many there are and not which: the names of closed files stay private too. */
export function noteDenied(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? "[1 file is left out: a rule is about reading it]"
    : `[${count} files are left out: rules are about reading them]`;
}
