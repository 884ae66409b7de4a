import type { ChangeView } from "../../http/api/api.ts";
import { ShownText } from "./shown-text.tsx";

const MARKS = { " ": ["plain", "same"], "-": ["bad", "was"], "+": ["good", "is"] } as const;

/** Lines that are gone, new or the same, in a box that scrolls. */
export function Diff({ lines, label }: { readonly lines: ChangeView["diff"]; readonly label: string }) {
  return (
    <div class="diff mono" role="region" aria-label={label} tabIndex={0}>
      {lines.map(({ mark, text }, index) => {
        const [tone, word] = MARKS[mark];
        return (
          <div key={index} class={`line tone-${tone}`}>
            <span class="mark" aria-hidden="true">
              {mark}
            </span>
            {mark !== " " && <span class="away">{word}: </span>}
            <ShownText text={text} />
          </div>
        );
      })}
    </div>
  );
}
