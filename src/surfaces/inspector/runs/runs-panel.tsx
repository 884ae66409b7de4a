import type { ApprovalView, QuestionView, RunView } from "../../http/api/api.ts";
import type { PageAddress } from "../address/address.ts";
import type { Go } from "../address/use-address.ts";
import { useIsApp } from "../live/app-view.ts";
import { type Resource, useResource } from "../live/use-resource.ts";
import { formatNumber, formatTime } from "../parts/format.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { Badge, Empty, ResourceNote } from "../parts/status.tsx";
import { RunPage } from "./run-page.tsx";
import { formatCost, wordsOfRun } from "./run-words.ts";
import { StartRun } from "./start-run.tsx";

interface RunsProps {
  readonly address: PageAddress;
  readonly go: Go;
  readonly workspace: string | null;
  readonly approvals: Resource<readonly ApprovalView[]>;
  readonly questions: readonly QuestionView[];
}

/** Agents at work in this process: those that are, those that were, and a new one. */
export function RunsPanel({ address, go, workspace, approvals, questions }: RunsProps) {
  const runs = useResource<readonly RunView[]>(address.run === null ? "runs" : null, ["runs"]);
  const isApp = useIsApp();
  const open = (run: string | null) => go({ run });
  if (address.run !== null)
    return (
      <RunPage
        key={address.run}
        id={address.run}
        approvals={approvals}
        questions={questions}
        leave={() => open(null)}
      />
    );
  return (
    <div class="page-panel pile">
      {!isApp && <StartRun workspace={workspace} started={open} />}
      <ResourceNote resource={runs} what="runs" />
      {runs.value?.length === 0 && (
        <Empty>
          {isApp
            ? "The app has sent no message yet."
            : "No agent has worked here since this Toolcrib was started. Earlier ones are among the sessions."}
        </Empty>
      )}
      <ul class="sheet" aria-label="Runs, newest first">
        {runs.value?.map((run) => (
          <RunRow key={run.id} run={run} open={() => open(run.id)} />
        ))}
      </ul>
    </div>
  );
}

function RunRow({ run, open }: { readonly run: RunView; open(): void }) {
  const [tone, icon, words] = wordsOfRun(run);
  return (
    <li class="run-row">
      <button type="button" class="quiet" onClick={open}>
        <time class="fine number" dateTime={new Date(run.started).toISOString()}>
          {formatTime(run.started)}
        </time>
        <ShownText in="strong" class="cut" text={run.prompt === "" ? "nothing was said" : run.prompt} />
        <Badge tone={tone} icon={icon} text={words} />
        <span class="run-facts dim fine cut">
          {run.model !== null && <ShownText text={`${run.model} · `} />}
          {formatNumber(run.calls, "call")}
          {run.agents > 0 && ` · ${formatNumber(run.agents, "agent")}`} · {formatCost(run.used.cost)}
        </span>
      </button>
    </li>
  );
}
