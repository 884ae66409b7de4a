import { BUILD } from "./build.ts";
import { CODE } from "./code.ts";
import { COREUTILS } from "./coreutils.ts";
import { GIT } from "./git.ts";
import { NETWORK } from "./network.ts";
import { RUNNERS } from "./runners.ts";
import { SHELL } from "./shell.ts";
import { TEXT } from "./text.ts";

/**
 * What every known program does with its options and operands, one line each: `names: tokens`.
 * `-x` and `--long` are options, `=` and letters the kinds of their values (`=` alone is text, `?` at the end means that
 * the value has to be joined), bare letters the kinds of operands in order, `*` any number of them. `core/rules/shell/program.ts`
 * has the letters, the marks and the styles in brackets. `::` marks a program that only reads, whose line names everything.
 */
export const PROGRAMS: readonly string[] = [COREUTILS, TEXT, GIT, SHELL, RUNNERS, CODE, BUILD, NETWORK];
