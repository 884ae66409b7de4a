import { useEffect, useRef } from "preact/hooks";
import type { ApprovalView, ChangeView, Choices, Overview, QuestionView, ServerView } from "../http/api/api.ts";
import { isWhatIf, type PageAddress, type Panel, toFragment } from "./address/address.ts";
import { useAddress } from "./address/use-address.ts";
import { Header } from "./header.tsx";
import { AppViewProvider } from "./live/app-view.ts";
import { useConnection } from "./live/connection.ts";
import { useResource } from "./live/use-resource.ts";
import { useStreamState } from "./live/use-stream-state.ts";
import { ApprovalsPanel } from "./panels/approvals-panel.tsx";
import { CallsPanel } from "./panels/calls-panel.tsx";
import { ChangesPanel } from "./panels/changes-panel.tsx";
import { ConnectPanel } from "./panels/connect-panel.tsx";
import { OverviewPanel } from "./panels/overview-panel.tsx";
import { SearchPanel } from "./panels/search-panel.tsx";
import { ServersPanel } from "./panels/servers-panel.tsx";
import { SessionsPanel } from "./panels/sessions-panel.tsx";
import { formatNumber } from "./parts/format.ts";
import { Icon } from "./parts/icon.tsx";
import { MoreBeyond } from "./parts/more-beyond.tsx";
import { toOneLine } from "./parts/reveal-text.ts";
import { RunsPanel } from "./runs/runs-panel.tsx";
import { ToolsPanel } from "./tools/tools-panel.tsx";

const TITLES: readonly (readonly [Panel, string])[] = [
  ["overview", "Overview"],
  ["tools", "Tools"],
  ["search", "Search"],
  ["servers", "Servers"],
  ["runs", "Runs"],
  ["calls", "Calls"],
  ["approvals", "Approvals"],
  ["changes", "Changes"],
  ["sessions", "Sessions"],
  ["connect", "Connect"],
];

/** Panels that an app lacks: these belong to the Toolcrib of a workspace. */
const OWN_PANELS: ReadonlySet<Panel> = new Set(["changes", "sessions", "connect"]);

const NEEDS_CARE: ReadonlySet<string> = new Set(["failed", "needs-auth", "stale"]);

/** The frame around the panels: navigation, what waits, and the state of things. */
export function App() {
  const [address, go] = useAddress();
  const isLost = useStreamState() === "lost";
  const overview = useResource<Overview>("overview", ["overview"]);
  const isApp = overview.value?.isApp ?? false;
  const choices = useResource<Choices>("choices", ["overview", "servers"]);
  const approvals = useResource<readonly ApprovalView[]>("approvals", ["approvals"]);
  const questions = useResource<readonly QuestionView[]>("questions", ["approvals"]);
  const changes = useResource<readonly ChangeView[]>(overview.value?.isApp === false ? "changes" : null, ["changes"]);
  const servers = useResource<readonly ServerView[]>("servers", ["servers"]);
  const asked = questions.value?.length ?? 0;
  const waiting = (approvals.value?.length ?? 0) + asked;
  const counts: Partial<Record<Panel, number>> = {
    servers: servers.value?.filter(({ state }) => NEEDS_CARE.has(state)).length ?? 0,
    approvals: waiting,
    changes: changes.value?.filter(({ isOff }) => !isOff).length ?? 0,
  };
  const clients = overview.value?.clients ?? [];
  const panels = TITLES.filter(([name]) => !isApp || !OWN_PANELS.has(name));
  const panel = panels.find(([name]) => name === address.panel)?.[0] ?? "overview";
  const title = TITLES.find(([name]) => name === panel)?.[1] ?? "";

  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Toolcrib`;
  }, [waiting, title]);
  const awaited = isApp ? "the app" : "your answer";
  useAnnounced(approvals.value, (fresh) => {
    const tools = fresh.map(({ tool }) => toOneLine(tool)).join(", ");
    return `${sayWaiting(fresh.length, false, awaited)}: ${tools}`;
  });
  useAnnounced(questions.value, ({ length }) => sayWaiting(length, true, awaited));

  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        Skip to content
      </button>
      <Header overview={overview.value} />
      <PanelLinks panels={panels} current={panel} address={address} counts={counts} />
      <main id="content" tabIndex={-1} aria-labelledby="panel-title">
        {isLost && <LostNote />}
        {waiting > 0 && panel !== "approvals" && address.run === null && (
          <a class="banner row" href={toFragment(toPanel(address, "approvals"))}>
            <Icon name="approvals" />
            {sayWaiting(waiting, asked > 0, awaited)}
          </a>
        )}
        <h1 id="panel-title" class={panel === "tools" ? "away" : ""}>
          {title}
        </h1>
        <AppViewProvider value={isApp}>
          <fieldset class="content" disabled={isLost}>
            {panel === "overview" && (
              <OverviewPanel overview={overview} servers={servers.value ?? []} troubled={counts.servers ?? 0} />
            )}
            {panel === "tools" && (
              <ToolsPanel address={address} overview={overview.value} choices={choices.value} go={go} />
            )}
            {panel === "search" && <SearchPanel address={address} go={go} />}
            {panel === "servers" && <ServersPanel servers={servers} />}
            {panel === "runs" && (
              <RunsPanel
                address={address}
                go={go}
                workspace={overview.value?.workspace ?? null}
                approvals={approvals}
                questions={questions.value ?? []}
              />
            )}
            {panel === "calls" && <CallsPanel clients={clients} />}
            {panel === "approvals" && <ApprovalsPanel approvals={approvals} clients={clients} questions={questions} />}
            {panel === "changes" && <ChangesPanel changes={changes} overview={overview.value} />}
            {panel === "sessions" && <SessionsPanel toRun={(run) => go({ panel: "runs", run })} />}
            {panel === "connect" && <ConnectPanel overview={overview} choices={choices.value} />}
          </fieldset>
        </AppViewProvider>
      </main>
    </div>
  );
}

/** The scene and the question stay, an opened tool does not. */
function toPanel(address: PageAddress, panel: Panel): PageAddress {
  return { ...address, panel, tool: null, run: null };
}

function sayWaiting(count: number, areQuestions: boolean, awaited: string): string {
  const words = areQuestions
    ? formatNumber(count, "question waits", "questions wait")
    : formatNumber(count, "call waits", "calls wait");
  return `${words} for ${awaited}`;
}

function LostNote() {
  return (
    <p class="note row tone-bad" role="alert">
      <Icon name="warning" />
      Toolcrib does not answer. What you see may be old, and nothing can be changed until it is back.
    </p>
  );
}

interface PanelLinksProps {
  readonly panels: readonly (readonly [Panel, string])[];
  readonly current: Panel;
  readonly address: PageAddress;
  /** What waits or fails in each panel. */
  readonly counts: Partial<Record<Panel, number>>;
}

function PanelLinks({ panels, current, address, counts }: PanelLinksProps) {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    document.querySelector(`.nav [href^="#/${current}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return (
    <nav class="nav" aria-label="Panels" ref={strip}>
      <ul>
        {panels.map(([name, words]) => (
          <li key={name}>
            <a
              class="row"
              href={toFragment(toPanel(address, name))}
              aria-current={name === current ? "page" : undefined}
            >
              <Icon name={name} />
              {words}
              {(counts[name] ?? 0) > 0 && (
                <span class={name === "approvals" ? "pill push is-urgent" : "pill push"}>
                  {counts[name]}
                  <span class="away"> {name === "servers" ? "not working" : "waiting"}</span>
                </span>
              )}
              {name === "tools" && isWhatIf(address.scene) && <span class="pill push">what if</span>}
            </a>
          </li>
        ))}
      </ul>
      <MoreBeyond of={strip} />
    </nav>
  );
}

/** Announces each new item once, wherever people are on the page. */
function useAnnounced<T extends { readonly id: string }>(
  items: readonly T[] | null,
  toText: (fresh: readonly T[]) => string,
): void {
  const { announce } = useConnection();
  const known = useRef(new Set<string>());
  useEffect(() => {
    const fresh = items?.filter(({ id }) => !known.current.has(id)) ?? [];
    if (fresh.length === 0) return;
    for (const { id } of fresh) known.current.add(id);
    announce(toText(fresh));
  }, [items, announce, toText]);
}
