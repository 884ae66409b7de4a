import type { ModelChoices } from "../../http/api/api.ts";
import { ShownText } from "../parts/shown-text.tsx";

interface ModelHelpProps {
  readonly choices: ModelChoices;
  /** Writes a model, or the beginning of one, into its field. */
  pick(model: string): void;
}

/** No model is chosen: those that are in reach, and otherwise how to name one. */
export function ModelHelp({ choices: { waiting, keys, reachable, looked }, pick }: ModelHelpProps) {
  const found = [
    ...reachable.map(({ provider, model, isLocal }) => ({
      model: `${provider}/${model}`,
      why: isLocal ? "it answers on this machine" : "it answers as configured",
    })),
    ...keys.map(({ provider, variable }) => ({ model: `${provider}/`, why: `${variable} is set` })),
  ];
  return (
    <div class="pile dim">
      <p>
        No model is chosen: name one as <code>PROVIDER/ID</code>, or set <code>model</code> in toolcrib.yaml.
      </p>
      {found.length > 0 && (
        <p class="row wraps">
          {found.map(({ model, why }) => (
            <button key={`${model} ${why}`} type="button" class="small choice" title={why} onClick={() => pick(model)}>
              <ShownText text={model.endsWith("/") ? `${model}…` : model} />
            </button>
          ))}
        </p>
      )}
      {waiting.map(({ what, name, place }) => (
        <p key={`${what} ${name}`}>
          {what === "model" ? "The model" : <ShownText text={`The ${what} ${name}`} />} in <ShownText text={place} />{" "}
          counts once you trust it: <code>toolcrib trust</code>
        </p>
      ))}
      <details>
        <summary>{found.length > 0 ? "Other ways" : "Where it looked, and how to try it without a model"}</summary>
        <p>
          A key in one of <code>{looked.variables.join(", ")}</code>, or a server of {looked.servers.join(", ")} on this
          machine. <code>scripted:FILE</code> as the model plays the replies in a YAML file instead.
        </p>
      </details>
    </div>
  );
}
