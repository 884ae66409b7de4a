import type { NoticeView } from "../../http/api/api.ts";
import { formatNumber } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";

const WEIGHT = { error: 2, warning: 1, info: 0 } as const;

/** What is odd about the setup. Closed at first; its colour shows how bad it is. */
export function Notices({ notices }: { readonly notices: readonly NoticeView[] }) {
  if (notices.length === 0) return null;
  const sorted = notices.toSorted((a, b) => WEIGHT[b.level] - WEIGHT[a.level]);
  const [worst] = sorted;
  return (
    <details class="notices">
      <summary class={`row tight tone-${worst?.level}`}>
        <Icon name={worst?.level === "info" ? "note" : "warning"} />
        {formatNumber(notices.length, "notice")}
      </summary>
      <ul class="pile">
        {sorted.map(({ level, code, text }, index) => (
          <li key={`${code} ${index}`} class={`tone-${level}`}>
            <strong>{level}</strong> <ShownText text={text} /> <code class="dim">{code}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
