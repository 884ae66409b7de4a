import { useEffect, useState } from "preact/hooks";
import type { SearchHit, SearchView } from "../../http/api/api.ts";
import { isWhatIf, type PageAddress, toFragment, toSceneFields } from "../address/address.ts";
import type { Go } from "../address/use-address.ts";
import { useResource } from "../live/use-resource.ts";
import { formatNumber } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Empty, ResourceNote, StandingBadge } from "../parts/status.tsx";

interface SearchProps {
  readonly address: PageAddress;
  readonly go: Go;
}

const TYPING_PAUSE_MS = 250;

/** What `tool_search` would answer, with the scores behind the order. */
export function SearchPanel({ address, go }: SearchProps) {
  const [text, setText] = useState(address.query);
  const query = address.query.trim();
  const fields = toSceneFields(address.scene);
  fields.set("q", query);
  const found = useResource<SearchView>(query === "" ? null : `search?${fields}`, ["toolset"]);
  useEffect(() => {
    if (text === address.query) return;
    const timer = setTimeout(() => go({ query: text }), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const best = Math.max(0, ...(found.value?.tools.map(({ score }) => score ?? 0) ?? []));
  const isCurrent = found.value?.query === query;
  return (
    <div class="page-panel pile">
      <form class="search-form" onSubmit={(event) => event.preventDefault()}>
        <label class="field grow">
          <span>What a model would ask for</span>
          <input
            type="search"
            value={text}
            placeholder="create an issue, +github list, select:name …"
            autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      </form>
      {isWhatIf(address.scene) && <p class="dim">Asked in the what-if scene of the Tools panel.</p>}
      <ResourceNote resource={found} what="results" />
      {query === "" && (
        <Empty>
          Type a task in plain words. Results come ranked as <code>tool_search</code> would rank them.
        </Empty>
      )}
      {found.value !== null && found.failure === null && (
        <>
          <p class="dim" role="status">
            {isCurrent ? describe(found.value) : "Searching …"}
          </p>
          <ol class="hits pile">
            {found.value.tools.map((hit, index) => (
              <Hit
                key={hit.name}
                hit={hit}
                rank={index + 1}
                best={best}
                link={toFragment({ ...address, panel: "tools", tool: hit.name })}
              />
            ))}
          </ol>
          {found.value.text !== "" && (
            <details class="as-read">
              <summary>What the model reads</summary>
              <ShownCode text={found.value.text} label="What the model reads" />
            </details>
          )}
        </>
      )}
    </div>
  );
}

interface HitProps {
  readonly hit: SearchHit;
  readonly rank: number;
  readonly best: number;
  readonly link: string;
}

function Hit({ hit, rank, best, link }: HitProps) {
  const width = hit.score === null || best === 0 ? 0 : (hit.score / best) * 100;
  return (
    <li class="hit sheet">
      <span class="rank dim number right" aria-hidden="true">
        {rank}
      </span>
      <div class="hit-text">
        <a href={link}>
          <ShownText text={hit.shown} />
        </a>{" "}
        <ShownText in="span" class="dim" text={hit.server ?? hit.source} />
        <ShownText in="p" class="hit-description" text={hit.description.split("\n", 1)[0] ?? ""} />
      </div>
      <StandingBadge standing={hit.standing} />
      <span class="score pile fine right">
        <span class="bar" aria-hidden="true">
          <span class="fill" style={{ width: `${width}%` }} />
        </span>
        <span class="number">
          {hit.score === null ? (
            <>
              <Icon name="done" /> by name
            </>
          ) : (
            hit.score.toFixed(2)
          )}
        </span>
      </span>
    </li>
  );
}

function describe({ tools, total, more }: SearchView): string {
  if (tools.length === 0) return "Nothing found.";
  return more ? `The best ${tools.length} of ${formatNumber(total, "tool")}` : formatNumber(tools.length, "tool");
}
