import { useState } from "preact/hooks";
import type { Choices, RunSetup, StartedRun, WantedRun } from "../../http/api/api.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { useResource } from "../live/use-resource.ts";
import { Icon } from "../parts/icon.tsx";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownText } from "../parts/shown-text.tsx";
import { Failure, ResourceNote } from "../parts/status.tsx";
import { ModelHelp } from "./model-help.tsx";

interface StartRunProps {
  readonly workspace: string | null;
  started(id: string): void;
}

/** A new run: what to do, which model, which agent; or why none can start. */
export function StartRun({ workspace, started }: StartRunProps) {
  const { api, announce } = useConnection();
  const setup = useResource<RunSetup>("runs/new", ["overview"]);
  const choices = useResource<Choices>("choices", []);
  const [wanted, setWanted] = useState(NOTHING);
  const { isBusy, failure, run } = useAction();
  const { value } = setup;
  if (value === null) return <ResourceNote resource={setup} what="what a run needs" />;
  if (value.refusal !== null)
    return (
      <p class="note row tone-warn">
        <Icon name="warning" />
        <ShownText text={value.refusal} />
      </p>
    );

  const set = (key: keyof WantedRun) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setWanted({ ...wanted, [key]: event.currentTarget.value });
  const isReady = wanted.prompt.trim() !== "" && (value.missing === null || wanted.model.trim() !== "");
  const start = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const { id } = await api.post<StartedRun>("runs", toWanted(wanted));
      announce("The run has started");
      started(id);
    });
  };
  return (
    <form class="card pile sheet start-run" aria-label="Start a run" onSubmit={start}>
      <label class="field">
        <span>What is to be done</span>
        <textarea rows={3} value={wanted.prompt} onInput={set("prompt")} placeholder="Explain what this project does" />
      </label>
      <RunChoices setup={value} choices={choices.value} wanted={wanted} set={set} />
      {value.missing !== null && wanted.model === "" && (
        <ModelHelp choices={value.missing} pick={(model) => setWanted({ ...wanted, model })} />
      )}
      <div class="row wraps">
        <button type="submit" class="primary" disabled={isBusy || !isReady}>
          <Icon name="play" />
          {isBusy ? "Starting …" : "Start the run"}
        </button>
        <span class="dim">
          It asks the model, which may cost money, and works in <ShownText text={workspace ?? "this folder"} />.{" "}
          {value.keeps ? "Its session is kept." : "Nothing is kept."}
        </span>
      </div>
      <Failure text={failure} />
    </form>
  );
}

interface RunChoicesProps {
  readonly setup: RunSetup;
  readonly choices: Choices | null;
  readonly wanted: WantedWords;
  set(key: keyof WantedRun): (event: { readonly currentTarget: { readonly value: string } }) => void;
}

function RunChoices({ setup, choices, wanted, set }: RunChoicesProps) {
  return (
    <div class="start-choices">
      <label class="field">
        <span>Model</span>
        <input
          list="run-models"
          spellcheck={false}
          value={wanted.model}
          onInput={set("model")}
          placeholder={setup.model === null ? "PROVIDER/ID" : toOneLine(setup.model)}
        />
      </label>
      <datalist id="run-models">
        {choices?.models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <label class="field">
        <span>Agent</span>
        <select value={wanted.agent} onChange={set("agent")}>
          <option value="">{setup.agent === null ? "the default one" : toOneLine(setup.agent)}</option>
          {setup.agents.map((agent) => (
            <option key={agent} value={agent}>
              {toOneLine(agent)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Mode</span>
        <select value={wanted.mode} onChange={set("mode")}>
          <option value="">{setup.mode}</option>
          {choices?.modes
            .filter((mode) => mode !== setup.mode)
            .map((mode) => (
              <option key={mode} value={mode}>
                {mode}
              </option>
            ))}
        </select>
      </label>
      <label class="field">
        <span>Stop at (US $)</span>
        <input inputMode="decimal" value={wanted.maxCost} onInput={set("maxCost")} placeholder="no limit" />
      </label>
    </div>
  );
}

type WantedWords = Readonly<Record<keyof WantedRun, string>>;

const NOTHING: WantedWords = { prompt: "", model: "", agent: "", mode: "", maxCost: "" };

/** Empty fields are left to the configuration. */
function toWanted({ maxCost, ...words }: WantedWords): WantedRun {
  const given = Object.entries(words).filter(([, value]) => value.trim() !== "");
  const limit = maxCost.trim() === "" ? {} : { maxCost: Number(maxCost) };
  return { prompt: words.prompt, ...Object.fromEntries(given), ...limit };
}
