import type { RunContext } from "../../source.ts";
import type { WalkedFile } from "./walk-files.ts";

/** Whether a file that a search came across may be looked into. */
export type MayRead = (file: WalkedFile) => boolean;

/** Rules may name a file as the model knows it, or by where it really is. */
export function toMayRead({ mayRead }: RunContext): MayRead {
  return mayRead === undefined ? () => true : ({ shown, real }) => mayRead(shown) && mayRead(real);
}

/** Says how many there are and not which: names of closed files are nobody's business either. */
export function noteDenied(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? "[1 file is left out: a rule is about reading it]"
    : `[${count} files are left out: rules are about reading them]`;
}
