import type { Standing } from "../../../core/toolset/toolset.ts";
import type { Io } from "./io.ts";

/** Colours that only repeat what the words say. */
export interface Style {
  standing(standing: Standing, text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

const COLOUR = { visible: 32, deferred: 33, hidden: 31 } as const satisfies Record<Standing, number>;

/** Only for a terminal and without NO_COLOR; FORCE_COLOR overrules the first, "0" turns it off. */
export function createStyle({ env, isTTY }: Pick<Io, "env" | "isTTY">): Style {
  const paint = (on: number, off: number) => (text: string) =>
    usesColour(env, isTTY) ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    standing: (standing, text) => paint(COLOUR[standing], 39)(text),
    dim: paint(2, 22),
    bold: paint(1, 22),
  };
}

function usesColour(env: Io["env"], isTTY: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTTY && env.TERM !== "dumb";
}
