import type { Standing } from "../../../core/toolset/toolset.ts";

/** Colours that only repeat what the words say. */
export interface Style {
  standing(standing: Standing, text: string): string;
  dim(text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underlined(text: string): string;
  struck(text: string): string;
  code(text: string): string;
  /** False: nothing has a colour here. */
  readonly isUsed: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const COLOUR = { visible: 32, deferred: 33, hidden: 31 } as const satisfies Record<Standing, number>;

/** Only for a terminal and without NO_COLOR; FORCE_COLOR overrules the first, "0" turns it off. */
export function createStyle({ env, isTTY }: { readonly env: Env; readonly isTTY: boolean }): Style {
  const isUsed = usesColour(env, isTTY);
  const paint = (on: number, off: number) => (text: string) => (isUsed ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return {
    standing: (standing, text) => paint(COLOUR[standing], 39)(text),
    dim: paint(2, 22),
    bold: paint(1, 22),
    italic: paint(3, 23),
    underlined: paint(4, 24),
    struck: paint(9, 29),
    code: paint(36, 39),
    isUsed,
  };
}

function usesColour(env: Env, isTTY: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTTY && env.TERM !== "dumb";
}
