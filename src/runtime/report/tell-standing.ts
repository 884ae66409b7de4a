import type { Standing, TraceLine } from "../../core/toolset/toolset.ts";
import type { PastRequest } from "./stored-world.ts";

/** How it is said of a toolset of now, and of one that a session had. */
export interface Tense {
  readonly is: string;
  readonly means: string;
  readonly visible: string;
  readonly notSent: string;
  readonly sent: string;
  readonly found: Readonly<Record<"search" | "code", string>>;
  /** What to change is of no use for what is over. */
  readonly isOver: boolean;
}

const NOW: Tense = {
  ...{ is: "is", means: "means", visible: "sent to the model now", notSent: "not sent now", sent: "sent now" },
  ...{ found: { search: "tool_search finds it", code: "run_code calls it" }, isOver: false },
};
const THEN: Tense = {
  ...{ is: "was", means: "meant", visible: "it was sent to the model", notSent: "it was not sent", sent: "were sent" },
  ...{ found: { search: "tool_search found it", code: "run_code called it" }, isOver: true },
};

export function tenseOf(past: PastRequest | undefined): Tense {
  return past === undefined ? NOW : THEN;
}

/** What a standing means for the model; null where the word says it all. */
export function tellStanding(standing: Standing, reasons: readonly TraceLine[], tense: Tense): string | null {
  if (standing === "hidden") return null;
  if (standing === "visible") return tense.visible;
  const isCalled = reasons.some(({ reason }) => reason.code === "budget.code");
  return `${tense.notSent}, ${tense.found[isCalled ? "code" : "search"]}`;
}

/** Since when what is told was so. */
export function tellPast({ session, seq, at }: PastRequest): string {
  return `That was so in session ${session} from event ${seq} (${new Date(at).toISOString().slice(0, 19)}Z) on`;
}
