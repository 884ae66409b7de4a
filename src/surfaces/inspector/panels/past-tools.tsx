import { useState } from "preact/hooks";
import type { PastToolset, PastToolView } from "../../http/api/api.ts";
import { useResource } from "../live/use-resource.ts";
import { FilterField } from "../parts/filter-field.tsx";
import { formatNumber } from "../parts/format.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { ResourceNote, StandingBadge } from "../parts/status.tsx";

interface PastProps {
  readonly path: string;
  readonly at: number;
  readonly close: () => void;
}

/** Which tools the model had at some point of a session, and why one was missing then. */
export function PastTools({ path, at, close }: PastProps) {
  const [filter, setFilter] = useState("");
  const past = useResource<PastToolset>(`${path}/toolset?at=${at}`, []);
  const wanted = filter.trim().toLowerCase();
  const tools = past.value?.toolset.tools ?? [];
  const shown = tools.filter(
    ({ name, standing }) => wanted === "" || `${name} ${standing}`.toLowerCase().includes(wanted),
  );
  return (
    <section class="card pile sheet" aria-label={`Tools at event ${at}`}>
      <div class="card-head row wraps">
        <h2>Tools at event {at}</h2>
        <FilterField label="Filter tools" hint="Filter by name or standing" value={filter} set={setFilter} />
        <span class="dim">{formatNumber(shown.length, "tool")}</span>
        <button type="button" class="push" onClick={close}>
          Close
        </button>
      </div>
      <ResourceNote resource={past} what="the tools of then" />
      {past.value !== null && <ShownText in="p" class="dim" text={past.value.told} />}
      <ul class="pile">
        {shown.map((tool) => (
          <PastTool key={`${tool.name} ${tool.id}`} tool={tool} />
        ))}
      </ul>
    </section>
  );
}

function PastTool({ tool: { shown, standing, told, trace } }: { readonly tool: PastToolView }) {
  const reasons = trace.filter(({ verdict }) => verdict !== "pass");
  return (
    <li>
      <span class="row wraps">
        <ShownText in="strong" class="mono" text={shown} />
        <StandingBadge standing={standing} />
        <span class="dim">{told}</span>
      </span>
      {reasons.map(({ gate, text, origin }) => (
        <p key={`${gate} ${text}`} class="dim">
          {gate}: <ShownText text={text ?? ""} /> <ShownText in="code" text={origin ?? ""} />
        </p>
      ))}
    </li>
  );
}
