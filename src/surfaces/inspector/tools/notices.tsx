import type { NoticeView } from "../../http/api.ts";
import { formatNumber } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";

const WEIGHT = { error: 2, warning: 1, info: 0 } as const;

/** What is odd about the setup. Closed at first: it is there for who looks, and the worst of it is in the heading. */
export function Notices({ notices }: { readonly notices: readonly NoticeView[] }) {
  if (notices.length === 0) return null;
  const sorted = notices.toSorted((a, b) => WEIGHT[b.level] - WEIGHT[a.level]);
  const [worst] = sorted;
  return (
    <details class="notices">
      <summary>
        <Icon name={worst?.level === "info" ? "note" : "warning"} />
        <strong>{formatNumber(notices.length, "notice")}</strong>
        {worst !== undefined && (
          <span class="dim first-notice">
            <ShownText text={worst.text} />
          </span>
        )}
      </summary>
      <ul>
        {sorted.map(({ level, code, text }, index) => (
          <li key={`${code} ${index}`} class={`notice-${level}`}>
            <strong>{level}</strong> <ShownText text={text} /> <code class="dim">{code}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
