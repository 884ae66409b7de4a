import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalView, QuestionView, RunAgent, RunDetails } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { useNow } from "../live/use-now.ts";
import { type Resource, useResource } from "../live/use-resource.ts";
import { Approvals } from "../panels/approvals-panel.tsx";
import { Questions } from "../panels/questions.tsx";
import { formatNumber } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { Badge, Failure, ResourceNote } from "../parts/status.tsx";
import { AgentTree } from "./agent-tree.tsx";
import { Entry } from "./run-entry.tsx";
import { formatUsed, wordsOfRun } from "./run-words.ts";

interface RunPageProps {
  readonly id: string;
  readonly approvals: Resource<readonly ApprovalView[]>;
  readonly questions: readonly QuestionView[];
  leave(): void;
}

/** One run in progress: its agents, messages and calls, what it waits for, what it cost. */
export function RunPage({ id, approvals, questions, leave }: RunPageProps) {
  const path = `runs/${encodeURIComponent(id)}`;
  const details = useResource<RunDetails>(path, ["runs"]);
  const [agent, setAgent] = useState<string | null>(null);
  const { run, agents = [], entries = [], isCut = false } = details.value ?? {};
  const now = useNow(run !== undefined && run.state !== "idle");
  const own = { ...approvals, value: approvals.value?.filter(({ session }) => session === id) ?? null };
  const shown = entries.filter((entry) => entry.agent === agent);
  const end = useFollowedEnd(details.value);
  const [tone, icon, words] = run === undefined ? (["plain", "runs", "…"] as const) : wordsOfRun(run);
  return (
    <div class="page-panel pile run-page">
      <div class="row wraps">
        <button type="button" onClick={leave}>
          All runs
        </button>
        <Badge tone={tone} icon={icon} text={words} />
        {run !== undefined && <RunFacts details={details.value} />}
        {run?.isOpen && run.state !== "idle" && <StopButton path={path} />}
      </div>
      <ResourceNote resource={details} what="this run" />
      <div class={agents.length > 1 ? "run-columns has-agents" : "run-columns"}>
        {agents.length > 1 && <AgentTree agents={agents} selected={agent} select={setAgent} now={now} />}
        <div class="pile">
          {isCut && <p class="dim">Only the newest part is shown; the session has all of it.</p>}
          {agent !== null && (
            <AgentHead agent={agents.find(({ id: one }) => one === agent)} path={run?.isOpen ? path : null} />
          )}
          <ol class="run-entries pile" aria-label="What happens, oldest first">
            {shown.map((entry) => (
              <Entry key={entry.key} entry={entry} now={now} select={setAgent} />
            ))}
          </ol>
          <Questions questions={questions.filter(({ session }) => session === id)} />
          <Approvals approvals={own} clients={[]} isPart />
          {run?.error && (
            <p class="note tone-bad row" role="alert">
              <Icon name="warning" />
              <ShownText text={run.error} />
            </p>
          )}
          {run?.isOpen && agent === null && <Say path={path} isRunning={run.state !== "idle"} />}
          <div ref={end} />
        </div>
      </div>
    </div>
  );
}

function RunFacts({ details }: { readonly details: RunDetails | null }) {
  if (details === null) return null;
  const { run } = details;
  return (
    <span class="dim">
      {run.model !== null && <ShownText text={`${run.model} · `} />}
      {formatUsed(run.used)} · {formatNumber(run.calls, "call")}
    </span>
  );
}

/** The chosen agent; `path` is null if nothing can be done about it here. */
function AgentHead({ agent, path }: { readonly agent: RunAgent | undefined; readonly path: string | null }) {
  if (agent === undefined) return null;
  return (
    <div class="row wraps">
      <p class="dim">
        <ShownText in="strong" text={agent.id ?? agent.name} />: <ShownText text={agent.description} />
      </p>
      {path !== null && agent.id !== null && agent.state === "running" && <StopButton path={path} agent={agent.id} />}
    </div>
  );
}

/** Ends a run, or one agent that works in it. */
function StopButton({ path, agent }: { readonly path: string; readonly agent?: string }) {
  const what = agent === undefined ? "run" : "agent";
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const stop = () =>
    run(async () => {
      await api.post(`${path}/stop`, agent === undefined ? undefined : { agent });
      announce(`The ${what} was stopped`);
    });
  return (
    <>
      <button type="button" class="danger push" disabled={isBusy} onClick={stop}>
        <Icon name="stop" />
        {isBusy ? "Stopping …" : `Stop the ${what}`}
      </button>
      <Failure text={failure} />
    </>
  );
}

/** A further message: joins the current run, or starts the next one. */
function Say({ path, isRunning }: { readonly path: string; readonly isRunning: boolean }) {
  const { api } = useConnection();
  const { isBusy, failure, run } = useAction();
  const [prompt, setPrompt] = useState("");
  const say = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.post(`${path}/say`, { prompt });
      setPrompt("");
    });
  };
  return (
    <form class="row wraps say" onSubmit={say}>
      <label class="field grow">
        <span class="away">Say something more</span>
        <input
          value={prompt}
          placeholder={isRunning ? "Say something that it reads next" : "Go on with …"}
          onInput={(event) => setPrompt(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={isBusy || prompt.trim() === ""}>
        Say it
      </button>
      <Failure text={failure} />
    </form>
  );
}

/** Close enough to the end to be following it. */
const NEAR = 160;

/** A reader at the end of the page stays there while more comes. */
function useFollowedEnd(details: RunDetails | null) {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const note = () => {
      const { top = 0 } = end.current?.getBoundingClientRect() ?? {};
      isAtEnd.current = top <= innerHeight + NEAR;
    };
    addEventListener("scroll", note, true);
    return () => removeEventListener("scroll", note, true);
  }, []);
  useEffect(() => {
    if (isAtEnd.current && details?.run.state !== "idle") end.current?.scrollIntoView({ block: "nearest" });
  }, [details]);
  return end;
}
