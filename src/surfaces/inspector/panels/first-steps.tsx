import type { ComponentChildren } from "preact";
import type { Overview, ServerView } from "../../http/api/api.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { formatCount, formatNumber, formatShare } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";

interface FirstStepsProps {
  readonly overview: Overview;
  readonly servers: readonly ServerView[];
  /** Servers that do not work. */
  readonly troubled: number;
}

/** What to do before there is anything to count. */
export function FirstSteps({ overview, servers, troubled }: FirstStepsProps) {
  const { tools, contextWindow, clients, connect, pinned, pinnable } = overview;
  const [line] = connect ?? [];
  const { count, tokens } = tools.visible;
  return (
    <section class="card pile sheet" aria-labelledby="steps-heading">
      <h2 id="steps-heading">First steps</h2>
      <ol class="steps pile">
        <Step title="Have servers" isDone={servers.length > 0 && troubled === 0}>
          {servers.length === 0 ? (
            <p>
              <code>toolcrib add NAME -- COMMAND</code> adds one.
            </p>
          ) : troubled > 0 ? (
            <p>
              {troubled} of {formatNumber(servers.length, "server")} {troubled === 1 ? "does" : "do"} not work.{" "}
              <a href="#/servers">See why</a>
            </p>
          ) : (
            <p>
              {formatNumber(servers.length, "server")}, and all work. <a href="#/servers">Servers</a>
            </p>
          )}
        </Step>
        <Step title="See what a model gets" isDone={false}>
          <p>
            {formatNumber(count, "tool")}, {formatCount(tokens)} tokens: {formatShare(tokens, contextWindow)} of the
            window. Turn off what nobody needs. <a href="#/tools">Tools</a>
          </p>
        </Step>
        <Step title="Connect a client" isDone={clients.length > 0}>
          {clients.length > 0 ? (
            <p>
              <ShownText text={clients.map(({ label }) => label).join(", ")} /> {clients.length === 1 ? "is" : "are"}{" "}
              connected.
            </p>
          ) : (
            <>
              {line !== undefined && (
                <p class="row wraps">
                  <span>
                    {line.client}, {line.where}:
                  </span>
                  <ShownText in="code" class="rule" text={line.text} />
                  <CopyButton text={line.text} what={`the line for ${line.client}`} words="Copy" />
                </p>
              )}
              <p>
                <a href="#/connect">{line === undefined ? "How to connect one" : "Other clients"}</a>
              </p>
            </>
          )}
        </Step>
        {pinned === null && pinnable > 0 && (
          <Step title="Pin what the tools say" isDone={false}>
            <p>
              A definition that changes later waits for you then. <a href="#/changes">Changes</a>
            </p>
          </Step>
        )}
        <Step title="Make a call" isDone={false}>
          <p>
            From the client, or here: open a tool and try it. Calls, times and errors are counted on this page then.
          </p>
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ComponentChildren;
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li class={isDone ? "step is-done" : "step"}>
      {isDone && (
        <span class="step-done">
          <Icon name="done" />
        </span>
      )}
      <div class="pile">
        <h3>
          {title}
          {isDone && <span class="away"> (done)</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}
