import { table as build } from "./build.programs";
import { table as code } from "./code.programs";
import { table as coreutils } from "./coreutils.programs";
import { table as git } from "./git.programs";
import { table as network } from "./network.programs";
import { table as runners } from "./runners.programs";
import { table as shell } from "./shell.programs";
import { table as text } from "./text.programs";

/**
 * What every known program does with its options and operands, one line each: `names: tokens`. People write the tables
 * beside this file in the words of `words.txt`; `scripts/build/program-tables.mjs` makes these lines of them, with the letters
 * that `core/rules/shell/program.ts` knows. `::` marks a program that only reads, whose table names everything.
 */
export const PROGRAMS: readonly string[] = [coreutils, text, git, shell, runners, code, build, network];
