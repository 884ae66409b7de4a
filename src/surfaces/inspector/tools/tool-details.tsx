import { useEffect, useRef } from "preact/hooks";
import type { WhyTool, WhyView } from "../../http/api/api.ts";
import { useIsApp } from "../live/app-view.ts";
import { useConnection } from "../live/connection.ts";
import { useAction } from "../live/use-action.ts";
import { useResource } from "../live/use-resource.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatCount, formatJson, formatShare } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { toOneLine } from "../parts/reveal-text.ts";
import { ShownBlock, ShownCode, ShownText } from "../parts/shown-text.tsx";
import { Failure, ResourceNote, StandingBadge } from "../parts/status.tsx";
import { SwitchButton } from "../parts/switch-button.tsx";
import { TryTool } from "./try-tool.tsx";

interface DetailsProps {
  readonly name: string;
  /** Parameters of the scene that is looked at. */
  readonly scene: string;
  readonly tokens: number | null;
  readonly window: number;
  close(): void;
}

/** Everything about one tool: why it has its standing, what to change, and what the model would read. */
export function ToolDetails({ name, scene, tokens, window, close }: DetailsProps) {
  const why = useResource<WhyView>(`why/${encodeURIComponent(name)}${scene === "" ? "" : `?${scene}`}`, ["toolset"]);
  const shown = why.value?.tools[0]?.shown ?? name;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
  };
  return (
    <aside class="details" aria-label={`Details of ${toOneLine(shown)}`} onKeyDown={onKeyDown}>
      <header class="row">
        <h2 ref={heading} tabIndex={-1}>
          <ShownText text={shown} />
        </h2>
        <button type="button" class="quiet bare" aria-label="Close details" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <ResourceNote resource={why} what="reasons" />
      {why.value?.tools.map((tool) => (
        <Answer key={tool.id} tool={tool} tokens={tokens} window={window} />
      ))}
    </aside>
  );
}

interface AnswerProps {
  readonly tool: WhyTool;
  readonly tokens: number | null;
  readonly window: number;
}

function Answer({ tool, tokens, window }: AnswerProps) {
  const isApp = useIsApp();
  return (
    <div class="answer pile">
      <div class="row wraps">
        <StandingBadge standing={tool.standing} />
        {tokens !== null && (
          <span class="dim">
            {formatCount(tokens)} tokens, {formatShare(tokens, window)}
          </span>
        )}
        {!isApp && (
          <span class="push">
            <SwitchButton path={`tools/${encodeURIComponent(tool.name)}`} name={tool.id} isOn={!isExcluded(tool)} />
          </span>
        )}
      </div>
      <section aria-label="Description">
        {tool.title !== null && <ShownText in="strong" text={tool.title} />}
        {tool.description === "" ? (
          <p class="dim">It has no description.</p>
        ) : (
          <ShownBlock text={tool.description.trim()} />
        )}
      </section>
      <section aria-label="Why">
        <h3 class="row">
          Why <CopyButton text={toText(tool)} what="every reason" words="Copy" />
        </h3>
        {tool.reasons.length === 0 && <p>Nothing holds it back: every gate lets it pass.</p>}
        <ul class="pile">
          {tool.reasons.map((reason, index) => (
            <Reason key={`${reason.gate} ${index}`} reason={reason} />
          ))}
        </ul>
        {tool.toSee !== null && tool.reasons.length > 1 && (
          <p class="to-see">
            <strong>{tool.standing === "deferred" ? "To always show it" : "To see it"}, all of:</strong>{" "}
            <ShownText text={tool.toSee} />
          </p>
        )}
        {tool.passed.length > 0 && <p class="dim passed fine">Passes {tool.passed.join(", ")}.</p>}
      </section>
      {!isApp && (
        <section aria-label="Try it">
          <h3>Try it</h3>
          <TryTool tool={tool} />
        </section>
      )}
      {tool.requests.length > 0 && (
        <section aria-label="Requests">
          <h3>Requests that find it</h3>
          {tool.requests.some(({ isWritten }) => isWritten) && <RemoveRequests tool={tool} />}
          <ul class="pile">
            {tool.requests.map(({ text, by }) => (
              <li key={text}>
                <ShownText text={text} />{" "}
                <span class="dim">
                  by <ShownText text={by} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <dl class="pairs">
        <Pair name="Source" text={tool.server === null ? tool.source : `${tool.source}, server ${tool.server}`} />
        <Pair name="The model's name for it" text={tool.name} />
      </dl>
      <section aria-label="Input schema">
        <h3 class="row">
          Input schema <CopyButton text={formatJson(tool.inputSchema)} what="the input schema" words="Copy" />
        </h3>
        <ShownCode text={formatJson(tool.inputSchema)} label="Input schema" />
      </section>
    </div>
  );
}

function Reason({
  reason: { gate, verdict, code, text, origin, fix },
}: {
  readonly reason: WhyTool["reasons"][number];
}) {
  return (
    <li class={`reason pile tone-${verdict}`}>
      <p class="reason-head row tight wraps">
        <Icon name={verdict} />
        <strong>{gate}</strong> {verdict === "hide" ? "hides it" : "defers it"}
        {code !== null && <code class="push dim">{code}</code>}
      </p>
      {text !== null && <ShownText in="p" text={text} />}
      {origin !== null && (
        <p class="dim">
          from <ShownText text={origin} /> <CopyButton text={origin} what="where this is set" />
        </p>
      )}
      {fix !== null && (
        <p class="fix">
          <strong>Change:</strong> <ShownText text={fix} />
        </p>
      )}
    </li>
  );
}

/** Those that a model wrote; shipped ones and the tool's own stay. */
function RemoveRequests({ tool: { name, shown } }: { readonly tool: WhyTool }) {
  const { api, announce } = useConnection();
  const { isBusy, failure, run } = useAction();
  const remove = () =>
    run(async () => {
      await api.post(`requests/${encodeURIComponent(name)}/remove`);
      announce(`Removed the requests that a model wrote for ${toOneLine(shown)}`);
    }, "stays");
  return (
    <p>
      <button type="button" class="small" disabled={isBusy} onClick={remove}>
        Remove those that a model wrote
      </button>{" "}
      <Failure text={failure} />
    </p>
  );
}

/** Whether the filter hides it: nothing else can be turned on here. */
function isExcluded({ reasons }: WhyTool): boolean {
  return reasons.some(({ gate, verdict }) => gate === "filter" && verdict === "hide");
}

function Pair({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <dt class="dim">{name}</dt>
      <ShownText in="dd" text={text} />
    </>
  );
}

/** The answer as text to paste elsewhere. */
function toText({ name, standing, reasons, toSee }: WhyTool): string {
  const lines = reasons.map(
    ({ gate, verdict, code, text, origin, fix }) =>
      `  ${gate}: ${verdict} (${code}) ${text ?? ""}\n    from ${origin ?? "unknown"}${fix === null ? "" : `\n    change: ${fix}`}`,
  );
  return [`${name} is ${standing}`, ...lines, ...(toSee === null ? [] : [`To see it: ${toSee}`])].join("\n");
}
