import type { ShownStanding, ToolsetView } from "../../http/api/api.ts";
import { formatCount, formatShare } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";

interface SummaryProps {
  readonly toolset: ToolsetView;
  readonly shown: ReadonlySet<ShownStanding>;
  toggle(standing: ShownStanding): void;
}

const STANDINGS: readonly ShownStanding[] = ["visible", "deferred", "hidden"];
const MEANING: Readonly<Record<ShownStanding, string>> = {
  visible: "sent with every request",
  deferred: "found by search",
  hidden: "not in this run",
};

/** How many tools have each standing, and what each part costs; the buttons show or hide the parts in the grid. */
export function TokenSummary({ toolset, shown, toggle }: SummaryProps) {
  const counts = { visible: 0, deferred: 0, hidden: 0 };
  for (const { standing } of toolset.tools) counts[standing] += 1;
  const { tokens, contextWindow } = toolset;
  const share = formatShare(tokens.visible, contextWindow);
  const saved = tokens.deferred + tokens.hidden;
  const whole = Math.max(1, tokens.visible + saved);
  return (
    <div class="summary row wraps">
      <fieldset class="standings row tight wraps">
        <legend class="away">Standings to show</legend>
        {STANDINGS.map((standing) => (
          <button
            key={standing}
            type="button"
            class={`standing-toggle tone-${standing}`}
            aria-pressed={shown.has(standing)}
            title={MEANING[standing]}
            onClick={() => toggle(standing)}
          >
            <Icon name={standing} />
            <strong>{formatCount(counts[standing])}</strong> {standing}
            <span class="dim fine"> {formatCount(tokens[standing])} tokens</span>
          </button>
        ))}
      </fieldset>
      <div class="window pile fine">
        <div class="stack" aria-hidden="true">
          {STANDINGS.map((standing) => (
            <span
              key={standing}
              class={`fill tone-${standing}`}
              style={{ width: `${(tokens[standing] / whole) * 100}%` }}
            />
          ))}
        </div>
        <p>
          <strong>{share}</strong> of a {formatCount(contextWindow)}-token window goes to tools; {formatCount(saved)}{" "}
          tokens stay out of it.
        </p>
      </div>
    </div>
  );
}
